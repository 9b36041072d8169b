import { error } from "@sveltejs/kit";
import { ask, problem } from "$lib/server/pagemill.js";

/** The job as it is now, and its Markdown when there is one. */
export async function load({ params, depends }) {
  depends("pagemill:job");
  const answer = await ask(`/v1/jobs/${encodeURIComponent(params.id)}`);
  if (!answer.ok) error(answer.status, await problem(answer));
  const job = await answer.json();
  if (job.status !== "completed") return { job, markdown: null };
  const result = await ask(`/v1/jobs/${job.id}/markdown`);
  return { job, markdown: result.ok ? await result.text() : null };
}
