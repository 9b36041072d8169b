// The last few jobs of a browser, kept in a cookie: the way back to them after a reload or another day.
const NAME = "jobs";
const MOST = 10;
const ID = /^[0-9a-f-]{36}$/;

/** @param {import("@sveltejs/kit").Cookies} cookies @returns {string[]} */
export function recentJobs(cookies) {
  return (cookies.get(NAME) ?? "").split(".").filter(id => ID.test(id));
}

/** @param {import("@sveltejs/kit").Cookies} cookies @param {string} id */
export function rememberJob(cookies, id) {
  const ids = [id, ...recentJobs(cookies).filter(known => known !== id)].slice(0, MOST);
  cookies.set(NAME, ids.join("."), { path: "/", httpOnly: true, sameSite: "lax", maxAge: 7 * 86_400 });
}
