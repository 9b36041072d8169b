"""What a broken font map leaves behind is told from every honest kind of text."""

import unicodedata

import pytest

from pagemill.reading.routing.words import has_holes, is_garbled, reads_well

ENGLISH = (
    "The harbour lay quiet while the lanterns burned along the old stone bridge until winter came over us"
)
HONEST = {
    "english": ENGLISH,
    "german": "Der Hafen lag still, während die Laternen über der alten Brücke brannten, bis der Winter schließlich kam",
    "polish": "Źdźbła trawy drżały na wietrze, gdy krzyk mewy przeszył ciszę nad brzegiem morza w świetle księżyca",
    "czech": "Strč prst skrz krk a pak zmlkni, řekl čtvrtý bratr, když vlk vrčel v trní za chlumem u lesa pod vrchem",
    "vietnamese": "Bến cảng nằm yên trong khi những chiếc đèn lồng cháy dọc theo cây cầu đá cũ cho đến mùa đông",
    "russian": "Гавань лежала тихо, пока фонари горели вдоль старого каменного моста до самой зимы над рекой",
    "greek": "Το λιμάνι ήταν ήσυχο ενώ τα φανάρια έκαιγαν κατά μήκος της παλιάς πέτρινης γέφυρας μέχρι τον χειμώνα",
    "arabic": "كان الميناء هادئا بينما كانت الفوانيس تضيء على طول الجسر الحجري القديم حتى جاء الشتاء إلى المدينة",
    "hebrew": "הנמל היה שקט בזמן שהפנסים בערו לאורך גשר האבן הישן עד שהגיע החורף אל העיר הקטנה שעל שפת הים",
    "chinese": "港口很安静，灯笼沿着古老的石桥燃烧，直到冬天来临。" * 5,
    "japanese": "港は静かで、古い石橋に沿って提灯が燃えていた。冬が来るまで町は眠っていた。" * 4,
    "korean": "항구는 조용했고 등불은 오래된 돌다리를 따라 타올랐다 겨울이 올 때까지 도시는 잠들어 있었다 그리고 봄",
    "thai": "ท่าเรือเงียบสงบในขณะที่โคมไฟลุกไหม้ไปตามสะพานหินเก่าจนกระทั่งฤดูหนาวมาถึง " * 3,
    "figures": " ".join(f"{at * 37 % 1000},{at % 90:02d} {at * 13 % 70}.5 %" for at in range(80)),
    "code": "def read(path: str) -> bytes:\n    with open(path, 'rb') as file:\n        return file.read()\n"
    * 5,
    "formulas": "f(x) = sin(x)^2 + cos(x)^2 = 1, dy/dx = lim (f(x+h) - f(x))/h, ∫ exp(-x²) dx = √π, where x ∈ R "
    * 3,
    "abbreviations": "VCC GND CLKSH ACKSH D0SH L0CLK L0ACK PWRDN RSTN SDRCK MISO MOSI SPIQ XTAL NRST VBAT SWDIO TMS",
    "mixed names": "Pythonو R بلغة البرمجة Jeremy اسمي في Pythonو منPython البيانات " * 6,
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_text_is_not_taken_for_garbage(name: str) -> None:
    assert not is_garbled(HONEST[name])


GARBLED = {
    "shifted": "sgd gZqantq kZx pthds vgikd sgd kzmsdqmr atqmdc zknmf sgd nkc rsnmd aqhcfd tmshk vhmsdq bzld nudq",
    "cyrillic read as western": HONEST["russian"].encode("cp1251").decode("cp1252", "replace"),
    "utf-8 read byte by byte": HONEST["german"].replace("e", "ä").encode().decode("latin-1"),
    "scripts in one word": "ĴǎƶơǎƹŎķຊا 䋔˄Ⱊاور او䆀ឮᑽĴǎƶ 㶜ຝ䆀䩱Ӓا㦇 ور石ᄹ㈉ⰰẍو 䮨䊒Ǎ˄㨉ا ⪖دⵇب 䯎ںⴑ⥲ 䫑د䗂پດح ⠪⑬ِ۔ا㐔آ "
    "ᄹ㈉رومĴǎ ㅎ䩱Ӓا㦇 شǕǌ˄د قвωم",
    "private characters": "".join(chr(0xE000 + ord(character)) for character in ENGLISH),
    "controls": "".join(chr(ord(character) % 31) for character in ENGLISH),
    "holes in words": "the scienti\ufffdc of\ufffdce de\ufffdned a speci\ufffdc bene\ufffdt "
    "and the of\ufffdcial classi\ufffdcation of the \ufffdeld by the town",
}


@pytest.mark.parametrize("name", GARBLED)
def test_garbage_is_known(name: str) -> None:
    assert is_garbled(GARBLED[name])


def test_lost_ligatures_are_known_on_a_page_that_has_none() -> None:
    text = (
        "The dierent eects were signicant and the ocial denition was specic to each town and its people. "
        * 20
    )
    assert is_garbled(text)
    # The font of the headings has them.
    assert is_garbled(text + "fi")
    assert not has_holes(text + "office fifty efforts " * 100)


PROSE = {
    "english": "The harbour of the town is old and was built by people that came with ships in winter, "
    "and for the sake of the trade a bridge goes to the castle, which keeps a lamp on its tower. ",
    "german": "Der Hafen und die Stadt sind alt, und das Schloss mit der Laterne steht auf einem Hügel, den die "
    "Leute von der Brücke aus sehen, wenn das Licht im Winter zu ihnen kommt. ",
}
CHANGED: dict[str, dict[str, str | None]] = {
    "no c": {"c": None},
    "no l": {"l": None},
    "a and e changed": {"a": "e", "e": "a"},
    "vowels moved on": {"a": "e", "e": "i", "i": "o", "o": "u", "u": "a"},
}


@pytest.mark.parametrize("language", PROSE)
@pytest.mark.parametrize("change", CHANGED)
def test_lost_and_changed_letters_are_known(language: str, change: str) -> None:
    text = PROSE[language] * 10
    assert not is_garbled(text)
    assert is_garbled(text.translate({ord(character): to for character, to in CHANGED[change].items()}))


def test_a_short_text_may_lack_letters() -> None:
    assert not is_garbled(PROSE["english"].replace("c", ""))


def test_symbols_in_place_of_all_figures_are_known() -> None:
    shown = PROSE["english"] + " ".join(
        f"grew by {at * 37},{at % 9} percent in {1990 + at}," for at in range(12)
    )
    assert not is_garbled(shown)
    assert is_garbled(shown.translate(str.maketrans("0123456789", "!\"#$%&'()*")))


@pytest.mark.parametrize("name", ["english", "german", "russian", "chinese", "korean", "figures"])
def test_a_clean_recognition_reads_well(name: str) -> None:
    assert reads_well(HONEST[name])


def test_a_bad_recognition_does_not_read_well() -> None:
    assert not reads_well(
        "«POAH «3E*»CM tanntxim. inc. /^ . ^ toi n»Bfl. iseorty ttsrootj s*r;tiiR» and F0r tlle wh!ch"
    )


@pytest.mark.parametrize(
    "character", ["\ufe0f", "\u0301", "\u3164", "\u2800", "\U000e0041", "\u200b", "\u00ad"]
)
def test_text_of_nothing_but_characters_without_a_shape_is_garbled(character: str) -> None:
    assert is_garbled(" ".join([character * 6] * 40))


def test_accents_of_their_own_are_no_garbage() -> None:
    text = "Tiếng Việt có rất nhiều dấu, và mỗi chữ có thể mang hai dấu một lúc. " * 5
    assert not is_garbled(unicodedata.normalize("NFD", text))


def test_the_quotes_and_signs_of_a_program_are_no_figures() -> None:
    program = (
        'const names = list.filter(name => name !== "" && name !== "." && name !== ".."); '
        "const text = names.join(', ') + '' + (quoted ? '\"' : ''); if (open && !closed && ready) { show(\"\"); } "
    )
    assert not is_garbled(program * 6)


# With "dan" and "dia", "det" and "mot", "aan" and "dit", which are not "den" and "die", "dat" and "met" with other vowels.
OTHER_LANGUAGES = {
    "indonesian": "Kapal besar itu berangkat pagi hari dari pelabuhan lama membawa seekor kucing hitam dan beberapa orang "
    "penumpang menuju pulau kecil. Kapten kapal tinggal di sana sampai malam, ketika lampu dermaga dinyalakan oleh penjaga "
    "mercusuar dan istrinya. Menurut dia, angin timur bertiup kencang sepanjang musim dingin sehingga kapal nelayan jarang "
    "berlayar jauh. ",
    "nynorsk": "Katten som budde ved hamna hadde lenge venta eit skip, men ingen skip kom før vinteren var over. Då gjekk ein "
    "gammal mann langs brygga kvar morgon, såg utover fjorden, tende lykta si, sette seg ned, fortalde om åra sine til sjøs. "
    "Det regna ofte, vinden bles hardt frå vest, og det var kaldt. ",
    "swedish": "Båten seglade från hamnen tidigt på morgonen, vinden blåste hårt mot land, regnet föll över gamla hus, medan "
    "fiskarnas barn sprang längs bryggan efter katten. Kaptenen hade lovat att vända före kvällen, men det hände aldrig. Strax "
    "gick mörka vågor högt mot kajen, så att lyktorna slocknade. Ingen visste när det skulle ljusna. ",
}


@pytest.mark.parametrize("language", OTHER_LANGUAGES)
def test_languages_with_like_words_have_not_changed_their_vowels(language: str) -> None:
    assert not is_garbled(OTHER_LANGUAGES[language] * 6)


def test_a_language_with_one_like_word_may_lack_letters() -> None:
    # Hungarian has an "a", and few words with a w.
    text = (
        "A hajó reggel indult a folyó partjáról, macskát vitt magával a sziget lakóinak. A kapitánya este ért haza, mert "
        "lámpája hamar kialudt, így sokáig vártak rá. Az öreg halász mindig tudta, merre fúj majd a szél. "
    )
    assert not is_garbled(f"is on {text * 14}")
