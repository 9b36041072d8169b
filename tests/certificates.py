"""Certificates made for a test: valid ones, expired ones, and ones for another name."""

import datetime
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Certificate:
    """A self-signed certificate and the key that belongs to it, in one file."""

    path: Path

    def server(self) -> ssl.SSLContext:
        """What a server needs to show it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path)
        return context

    def trusted(self) -> ssl.SSLContext:
        """What a client needs to accept it."""
        return ssl.create_default_context(cafile=str(self.path))


def make_certificate(folder: Path, name: str, *, expired: bool = False) -> Certificate:
    """A certificate for a host name."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    begins, ends = (now - 20 * DAY, now - 10 * DAY) if expired else (now - DAY, now + DAY)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(ends)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    path = folder / f"{name}.pem"
    own = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    path.write_bytes(own + made.public_bytes(pem))
    return Certificate(path)
