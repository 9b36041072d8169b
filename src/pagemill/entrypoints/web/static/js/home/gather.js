// Files from wherever they come: dropped with their folders, pasted or chosen.

/** Names that systems leave in folders, which nobody means to hand in. */
const LEFTOVERS = /^(\.|~\$|Thumbs\.db$|desktop\.ini$)/i;

/**
 * Take what is dropped or pasted anywhere on the page, until the returned function is called.
 * @param {(over: boolean) => void} onOver told whether something is being dragged over the page
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

/** The files of a drop, with those in dropped folders. @param {DataTransfer} transfer @returns {Promise<File[]>} */
async function droppedFiles(transfer) {
  // Asked for at once: the transfer is empty after the first wait.
  const entries = [...transfer.items].map(one => one.webkitGetAsEntry?.() ?? null);
  const plain = [...transfer.files];
  if (!entries.some(entry => entry?.isDirectory)) return plain;
  const nested = await Promise.all(entries.map(entry => (entry ? filesIn(entry) : [])));
  return wanted(nested.flat());
}

/** The files that somebody meant to hand in. @param {Iterable<File>} files */
export function wanted(files) {
  return [...files].filter(file => !LEFTOVERS.test(file.name));
}

/** Every file at or below an entry. @param {FileSystemEntry} entry @returns {Promise<File[]>} */
async function filesIn(entry) {
  if (entry.isFile) return [await fileOf(/** @type {FileSystemFileEntry} */ (entry))];
  const inside = await entriesIn(/** @type {FileSystemDirectoryEntry} */ (entry));
  return (await Promise.all(inside.map(filesIn))).flat();
}

/** @param {FileSystemFileEntry} entry @returns {Promise<File>} */
function fileOf(entry) {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** Everything in a folder, which browsers tell in pieces. @param {FileSystemDirectoryEntry} folder */
async function entriesIn(folder) {
  const reader = folder.createReader();
  const found = [];
  while (true) {
    const piece = await /** @type {Promise<FileSystemEntry[]>} */ (
      new Promise((resolve, reject) => reader.readEntries(resolve, reject))
    );
    if (!piece.length) return found;
    found.push(...piece);
  }
}
