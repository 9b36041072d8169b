"""VAT ids of countries where companies and persons have numbers of their own kinds, which check themselves differently."""

from calendar import monthrange
from collections.abc import Sequence


def remainder(number: str, weights: Sequence[int], divisor: int) -> int:
    """What is left of the weighted sum of the digits; digits beyond the weights don't count."""
    return sum(weight * int(digit) for weight, digit in zip(weights, number, strict=False)) % divisor


def with_second_try(number: str, first: Sequence[int], second: Sequence[int]) -> int:
    """The check digit by weights, or by other weights where the first say 10."""
    check = remainder(number, first, 11)
    return (remainder(number, second, 11) if check == 10 else check) % 10


def bulgarian(number: str) -> bool | None:
    """Nine digits are a company; ten a person, a foreigner or something else, so that one check in three fits by chance."""
    if len(number) == 9:
        return with_second_try(number, range(1, 9), range(3, 11)) == int(number[8])
    last = int(number[9])
    checks = (
        remainder(number, (2, 4, 8, 5, 10, 9, 7, 3, 6), 11) % 10,
        remainder(number, (21, 19, 17, 13, 11, 9, 7, 3, 1), 10),
        -remainder(number, (4, 3, 2, 7, 6, 5, 4, 3, 2), 11) % 11,
    )
    return None if last in checks else False


def czech(number: str) -> bool | None:
    """Eight digits are a company; nine with a 6 before are checked too, other nine never; ten are the birth of a person."""
    if len(number) == 8:
        return (-remainder(number, range(8, 1, -1), 11) % 11 or 1) % 10 == int(number[7]) and number[0] != "9"
    if len(number) == 10:
        return has_birthday(number) and int(number[:9]) % 11 % 10 == int(number[9])
    if number[0] != "6":
        return None if has_birthday(number) else False
    return (8 - (10 - remainder(number[1:], range(8, 1, -1), 11)) % 11) % 10 == int(number[8])


def has_birthday(number: str) -> bool:
    """Whether a number begins with year, month and day; of women, and where numbers ran out, with more added to the month."""
    month = int(number[2:4]) % 50
    return is_day(month - 20 if month > 20 else month, int(number[4:6]))


def is_day(month: int, day: int) -> bool:
    """Whether the calendar has a day, in leap years at least."""
    return 1 <= month <= 12 and 1 <= day <= monthrange(2000, month)[1]


def latvian(number: str) -> bool | None:
    """Companies begin with 4 to 9; of persons those that begin with 32 have no check."""
    if number[0] > "3":
        return remainder(number, (9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1), 11) == 3
    if number.startswith("32"):
        return None
    check = (1 + remainder(number, (10, 5, 8, 4, 2, 1, 6, 3, 7, 9), 11)) % 11 % 10
    return check == int(number[10]) and is_day(int(number[2:4]), int(number[:2]))


def lithuanian(number: str) -> bool:
    """Nine digits, or twelve for the time being; the one before the last is 1."""
    count = len(number) - 1
    first, second = ([1 + (place + shift) % 9 for place in range(count)] for shift in (0, 2))
    return number[-2] == "1" and with_second_try(number, first, second) == int(number[-1])
