// Files that were dropped, pasted or chosen.

/** Files that operating systems leave in folders. */
const SYSTEM_FILES = /^(\.|~\$|Thumbs\.db$|desktop\.ini$)/i;

/**
 * Listen for drops and pastes anywhere on the page, until the returned function is called.
 * @param {(over: boolean) => void} onOver called with whether something is being dragged over the page
 * @param {(files: File[]) => void} onFiles
 */
export function receiveFiles(onOver, onFiles) {
  const ends = new AbortController();
  /** @param {keyof DocumentEventMap} type @param {(event: any) => void} listener */
  const on = (type, listener) => document.addEventListener(type, listener, { signal: ends.signal });
  on("dragover", event => {
    event.preventDefault();
    onOver(true);
  });
  on("dragleave", event => onOver(event.relatedTarget !== null));
  on("drop", async event => {
    event.preventDefault();
    onOver(false);
    onFiles(await droppedFiles(event.dataTransfer));
  });
  on("paste", event => onFiles([...(event.clipboardData?.files ?? [])]));
  return () => ends.abort();
}

/** The files of a drop, including those in dropped folders. @param {DataTransfer} transfer @returns {Promise<File[]>} */
async function droppedFiles(transfer) {
  // Read before the first await: the transfer is empty afterwards.
  const entries = [...transfer.items].map(item => item.webkitGetAsEntry?.() ?? null);
  const plain = [...transfer.files];
  if (!entries.some(entry => entry?.isDirectory)) return plain;
  const nested = await Promise.all(entries.map(entry => (entry ? filesBelow(entry) : [])));
  return withoutSystemFiles(nested.flat());
}

/** The files without those that the system left in folders. @param {Iterable<File>} files */
export function withoutSystemFiles(files) {
  return [...files].filter(file => !SYSTEM_FILES.test(file.name));
}

/** Every file at or below an entry. @param {FileSystemEntry} entry @returns {Promise<File[]>} */
async function filesBelow(entry) {
  if (entry.isFile) return [await readFile(/** @type {FileSystemFileEntry} */ (entry))];
  const inside = await readFolder(/** @type {FileSystemDirectoryEntry} */ (entry));
  return (await Promise.all(inside.map(filesBelow))).flat();
}

/** @param {FileSystemFileEntry} entry @returns {Promise<File>} */
function readFile(entry) {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** Everything in a folder; browsers return it in batches. @param {FileSystemDirectoryEntry} folder */
async function readFolder(folder) {
  const reader = folder.createReader();
  const found = [];
  while (true) {
    const batch = await /** @type {Promise<FileSystemEntry[]>} */ (
      new Promise((resolve, reject) => reader.readEntries(resolve, reject))
    );
    if (!batch.length) return found;
    found.push(...batch);
  }
}
