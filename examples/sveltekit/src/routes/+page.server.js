import { fail, redirect } from "@sveltejs/kit";
import { ask, problem } from "$lib/server/pagemill.js";
import { recentJobs, rememberJob } from "$lib/server/recent.js";

/** The jobs of this browser, and a key that makes a repeated upload find the job of the first. */
export function load({ cookies }) {
  return { recent: recentJobs(cookies), key: crypto.randomUUID() };
}

export const actions = {
  /** Hand the form on to pagemill piece by piece, whatever its size, and go to the page of its job. */
  default: async ({ request, url, cookies }) => {
    const headers = {
      "content-type": request.headers.get("content-type") ?? "",
      "idempotency-key": url.searchParams.get("key") ?? crypto.randomUUID(),
    };
    const answer = await ask("/v1/jobs", { method: "POST", headers, body: request.body, duplex: "half" });
    if (!answer.ok) return fail(answer.status, { message: await problem(answer) });
    const job = await answer.json();
    rememberJob(cookies, job.id);
    redirect(303, `/jobs/${job.id}`);
  },
};
