// ZIP files, stored without compression: what goes in is text of a few kilobytes or packed already.

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
// Names are in UTF-8.
const FLAGS = 0x0800;
const VERSION = 20;
const EPOCH_DATE = 0x21;

/** @type {Uint32Array | null} */
let table = null;

/** The CRC-32 of some bytes. @param {Uint8Array} bytes */
export function crc32(bytes) {
  table ??= Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  let crc = 0xffffffff;
  for (const byte of bytes) crc = table[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Numbers of two or four bytes, little-endian. @param {[number, 2 | 4][]} fields */
function packFields(fields) {
  const bytes = new DataView(new ArrayBuffer(fields.reduce((sum, [, width]) => sum + width, 0)));
  let at = 0;
  for (const [value, width] of fields) {
    if (width === 2) bytes.setUint16(at, value, true);
    else bytes.setUint32(at, value, true);
    at += width;
  }
  return bytes.buffer;
}

/** A ZIP file of these files. @param {{ name: string, bytes: Uint8Array }[]} files */
export function zipFile(files) {
  /** @type {BlobPart[]} */
  const parts = [];
  /** @type {BlobPart[]} */
  const directory = [];
  let offset = 0;
  let directory_bytes = 0;
  for (const { name, bytes } of files) {
    const encoded = new TextEncoder().encode(name);
    /** @type {[number, 2 | 4][]} */
    const common = [
      [VERSION, 2],
      [FLAGS, 2],
      [0, 2],
      [0, 2],
      [EPOCH_DATE, 2],
      [crc32(bytes), 4],
      [bytes.length, 4],
      [bytes.length, 4],
      [encoded.length, 2],
      [0, 2],
    ];
    const local = packFields([[LOCAL, 4], ...common]);
    /** @type {[number, 2 | 4][]} */
    const rest = [
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 4],
      [offset, 4],
    ];
    const central = packFields([[CENTRAL, 4], [VERSION, 2], ...common, ...rest]);
    parts.push(local, encoded, /** @type {BlobPart} */ (bytes));
    directory.push(central, encoded);
    offset += local.byteLength + encoded.length + bytes.length;
    directory_bytes += central.byteLength + encoded.length;
  }
  const end = packFields([
    [END, 4],
    [0, 2],
    [0, 2],
    [files.length, 2],
    [files.length, 2],
    [directory_bytes, 4],
    [offset, 4],
    [0, 2],
  ]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}
