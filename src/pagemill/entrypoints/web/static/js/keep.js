// What a browser remembers for us, if its settings let it.

/** What is kept under a name. @param {() => Storage} storage @param {string} name @returns {string | null} */
export function kept(storage, name) {
  try {
    return storage().getItem(name);
  } catch {
    return null;
  }
}

/** Keep something; whether that worked. @param {() => Storage} storage @param {string} name @param {string} value */
export function keep(storage, name, value) {
  try {
    storage().setItem(name, value);
    return true;
  } catch {
    return false;
  }
}
