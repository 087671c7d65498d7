import type { AddedText } from './added-lines.ts';

/** What the scanning thread is asked. */
export type ScanRequest = { id: number; files: AddedText[] };
/** What it found: `message` never holds the secret itself. */
export type FoundSecret = { path: string; line: number | null; rule: string; message: string };
