/** What GET /v1/operations answers with. */

export interface Share {
  name: string;
  count: number;
}

export interface Worker {
  id: string;
  host: string;
  pid: number;
  lanes: string[];
  slots: number;
  state: "alive" | "silent";
  uptime_seconds: number;
  silent_seconds: number;
  pages_per_minute: number;
}

export interface Slot {
  slot: number;
  kept: boolean;
  phase: "starting" | "idle" | "busy" | "backing_off" | "stopped";
  pid: number | null;
  visits: number;
  rss_bytes: number;
  failed_starts: number;
  starts: number;
}

export interface Operations {
  at: string;
  lanes: { lane: string; ready: number; running: number; oldest_seconds: number }[];
  pages_per_minute: number;
  minutes: { at: string; pages: number }[];
  pages: Share[];
  jobs: Share[];
  steps: { step: string; count: number; mean_seconds: number; p95_seconds: number }[];
  providers: Share[];
  failures: Share[];
  set_backs: Share[];
  refusals: Share[];
  workers: Worker[];
  slots: Slot[];
  storage: { documents: number; documents_bytes: number; free_bytes: number | null };
}
