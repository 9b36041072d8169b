/** The shapes of pages and blocks: lists as the API has them, contents as far as the viewer looks at them. */
import type { PageState, PageStates } from "../schema.js";

export type { Image as ImageEntry, PageFacts, Revision, Table as TableEntry } from "../schema.js";

export type Box = [number, number, number, number];
export type PageStateName = PageEntry["state"];
export type PageEntry = PageState;
export type PageEntries = PageStates;

export interface Cell {
  text: string;
  box: Box | null;
  row_span?: number;
  column_span?: number;
}

export interface Span {
  start: number;
  end: number;
  bold?: boolean;
  italic?: boolean;
  href?: string;
}

export interface Block {
  id: string;
  kind: string;
  box: Box | null;
  text?: string;
  level?: number;
  bold?: boolean;
  italic?: boolean;
  ordered?: boolean;
  marker?: string | null;
  lang?: string;
  header?: Cell[];
  rows?: Cell[][];
  header_rows?: number;
  spans?: Span[];
  parts?: { page: number; box: Box | null; first_row?: number }[];
  confidence?: number;
}

export interface FormField {
  name: string;
  kind: string;
  value: string | null;
  label?: string | null;
  checked: boolean | null;
}

export interface PageJson {
  number: number;
  width: number;
  height: number;
  label: string | null;
  provider: string;
  route: string;
  reason: string;
  confidence: number;
  warnings: string[];
  tries: { provider: string; confidence: number; message: string | null }[];
  error: { code: string; message: string } | null;
  fields: FormField[];
  blocks: Block[];
}
