import { z } from 'zod';
import { FindingSeverity, type ReviewFinding, type ReviewResult } from './review-result.ts';
import { cutText } from '../text/cut-text.ts';
import { parseJson } from '../text/parse-json.ts';
import { plainLine, plainText } from '../text/plain-text.ts';

const MAX_FINDINGS = 50;
const MAX_PATH_CHARS = 500;
const MAX_TEXT_CHARS = 4_000;
const MAX_SUMMARY_CHARS = 8_000;
const MAX_LINE = 10_000_000;

/** Lenient, since a review is paid for: what is no path or line is left out. */
const Finding = z.object({
  severity: FindingSeverity.catch('should'),
  path: z.string().nullish().catch(null),
  line: z.int().min(1).max(MAX_LINE).nullish().catch(null),
  text: z.string(),
});
const Handed = z.object({
  verdict: z.enum(['approve', 'request_changes']),
  summary: z.string(),
  findings: z.array(Finding).default([]),
});

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w-]*)\s*$/;

/**
 * Reads the review that ends an agent's message: its last fenced block of JSON. One that approves
 * although something must change asks for changes. Null when there is none that can be read, or it
 * asks for changes and names none. Pure.
 */
export function readReview(message: string): ReviewResult | null {
  const block = lastJsonBlock(message);
  const parsed = Handed.safeParse(block === null ? null : parseJson(block));
  if (!parsed.success) return null;
  const { verdict, summary: whole } = parsed.data;
  const all = parsed.data.findings.filter(({ text }) => plainText(text).trim() !== '');
  const findings = all.slice(0, MAX_FINDINGS).map(asFinding);
  const summary = cutText(plainText(whole).trim(), MAX_SUMMARY_CHARS, ' …');
  const mustChange = verdict === 'request_changes' || all.some(isMust);
  if (mustChange && findings.length === 0 && summary === '') return null;
  return {
    verdict: mustChange ? 'changes_requested' : 'approved',
    summary,
    findings,
    leftOut: all.length - findings.length,
  };
}

function isMust({ severity }: z.infer<typeof Finding>): boolean {
  return severity === 'must';
}

function asFinding({ severity, path, line, text }: z.infer<typeof Finding>): ReviewFinding {
  const named = cutText(plainLine(path ?? ''), MAX_PATH_CHARS, '…');
  return {
    severity,
    path: named === '' ? null : named,
    line: named === '' ? null : (line ?? null),
    text: cutText(plainText(text).trim(), MAX_TEXT_CHARS, ' …'),
  };
}

/** The content of the last fenced block that is marked as JSON or not marked; null: there is none. */
function lastJsonBlock(message: string): string | null {
  let open: { marks: string; isJson: boolean; lines: string[] } | null = null;
  let last: string | null = null;
  for (const line of message.split('\n')) {
    const [, marks = '', language = ''] = FENCE.exec(line) ?? [];
    if (open === null) {
      const isJson = ['', 'json'].includes(language.toLowerCase());
      if (marks !== '') open = { marks, isJson, lines: [] };
    } else if (language === '' && marks.startsWith(open.marks)) {
      if (open.isJson) last = open.lines.join('\n');
      open = null;
    } else open.lines.push(line);
  }
  return last;
}
