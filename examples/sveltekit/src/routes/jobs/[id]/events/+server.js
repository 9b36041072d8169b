import { ask, problem } from "$lib/server/pagemill.js";

/** The event stream of a job, handed on; a browser that was cut off goes on after the last event that it saw. */
export async function GET({ params, request }) {
  const headers = { accept: "text/event-stream" };
  const last = request.headers.get("last-event-id");
  if (last) headers["last-event-id"] = last;
  const answer = await ask(`/v1/jobs/${encodeURIComponent(params.id)}/events`, { headers, signal: request.signal });
  if (!answer.ok) return new Response(await problem(answer), { status: answer.status });
  // 204 tells the browser that there is nothing more to come.
  if (answer.status === 204) return new Response(null, { status: 204 });
  return new Response(answer.body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-cache" },
  });
}
