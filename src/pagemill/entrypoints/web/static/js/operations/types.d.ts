/** What the page of operations calls the shapes of `GET /v1/operations`. */
export type {
  OperationsView as Operations,
  Share,
  SlotState as Slot,
  UsageOfDay,
  WorkerState as Worker,
} from "../schema.js";
