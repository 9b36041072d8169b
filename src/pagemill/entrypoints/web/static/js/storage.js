// Settings that the browser stores for the pages, if it allows that.

/** The stored value of a setting; null if there is none. @param {() => Storage} storage @param {string} name @returns {string | null} */
export function loadSetting(storage, name) {
  try {
    return storage().getItem(name);
  } catch {
    return null;
  }
}

/** Store a setting; returns whether that worked. @param {() => Storage} storage @param {string} name @param {string} value */
export function saveSetting(storage, name, value) {
  try {
    storage().setItem(name, value);
    return true;
  } catch {
    return false;
  }
}
