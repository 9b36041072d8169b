"""Places for large uploads: so many at once for one tenant, and so many in all."""

from collections import Counter

from pagemill.errors import QuotaExceeded, UploadCapacity
from pagemill.model.tenant_limits import LimitsOfTenants
from pagemill.model.tenants import Holder
from pagemill.settings import Settings

# A smaller body is over too soon to be counted.
LARGE_BYTES = 1_000_000
RETRY_AFTER_SECONDS = 10


class UploadPlaces:
    """Counts the uploads of this process that are under way."""

    def __init__(self, settings: Settings, limits: LimitsOfTenants) -> None:
        self._most = settings.max_uploads
        self._limits = limits
        self._taken: Counter[str] = Counter()

    def is_large(self, size_bytes: int) -> bool:
        """Whether an upload needs a place."""
        return size_bytes > LARGE_BYTES

    def take(self, holder: Holder) -> None:
        """Take a place; QuotaExceeded if the tenant has no more, UploadCapacity if there are none."""
        most_of_tenant = self._limits.of(holder.tenant).max_tenant_uploads
        if self._taken[holder.tenant] >= most_of_tenant and not holder.is_operator:
            raise QuotaExceeded(
                "Too many documents are being uploaded with the keys of this tenant. Send fewer at once.",
                max_tenant_uploads=most_of_tenant,
                retry_after_seconds=RETRY_AFTER_SECONDS,
            )
        if self._taken.total() >= self._most:
            raise UploadCapacity(max_uploads=self._most, retry_after_seconds=RETRY_AFTER_SECONDS)
        self._taken[holder.tenant] += 1

    def give_back(self, holder: Holder) -> None:
        """Give a place back."""
        self._taken[holder.tenant] -= 1
        if not self._taken[holder.tenant]:
            del self._taken[holder.tenant]

    def count(self) -> int:
        """How many are taken."""
        return self._taken.total()
