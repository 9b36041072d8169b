/** The shapes of pages and blocks, as far as the viewer looks at them. */

export type Box = [number, number, number, number];
export type PageStateName = "waiting" | "draft" | "final" | "failed";

export interface PageFacts {
  width: number;
  height: number;
  provider: string;
  route: string;
  confidence: number;
  fell_back: boolean;
  to_check: boolean;
}

export interface PageEntry {
  number: number;
  state: PageStateName;
  facts: PageFacts | null;
}

export interface PageEntries {
  pages: PageEntry[];
  total: number | null;
}

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
  spans?: Span[];
  parts?: { page: number; box: Box | null; first_row?: number }[];
  confidence?: number;
}

export interface FormField {
  name: string;
  kind: string;
  value: string | null;
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

export interface Revision {
  revision: number;
  current: boolean;
  run: number;
  created_at: string;
  options: { mode?: string; ocr?: string; languages?: string[] };
  pages: number;
}

export interface TableEntry {
  name: string;
  page: number;
  caption: string;
  rows: number;
  columns: number;
  size_bytes: number;
  link: string;
}

export interface ImageEntry {
  name: string;
  page: number;
  caption: string;
  box: Box;
  link: string;
}
