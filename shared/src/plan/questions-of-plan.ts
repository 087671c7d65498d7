import { cutText } from '../text/cut-text.ts';
import { plainLine } from '../text/plain-text.ts';

const MAX_QUESTIONS = 10;
const MAX_QUESTION_CHARS = 500;

/** Depth of a line in bold type that stands for a heading: below every real one. */
const BOLD_DEPTH = 7;

const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
const BOLD_LINE = /^ {0,3}\*\*([^*]+)\*\*:?\s*$/;
const QUESTIONS = /\bquestions?\b/i;
const CODE_FENCE = /^(`{3,}|~{3,})(.*)$/;
const LIST_MARK = /^ {0,3}(?:[-*+]|\d{1,3}[.)])\s+/;
/** What agents write where they have no question. */
const NONE = /^[^\p{L}\p{N}]*(?:none|nothing|n\/a|no(?: open)?(?: questions?)?)?[^\p{L}\p{N}]*$/iu;

/**
 * The questions that a plan asks: the list items and paragraphs below a heading that speaks of
 * questions, each on one line. It reads line by line, since a Markdown parser takes seconds for some
 * texts. Pure.
 */
export function questionsOfPlan(plan: string): string[] {
  const questions: string[] = [];
  let isOpen = false;
  for (const line of linesOfQuestions(plan)) {
    const isBlank = line.trim() === '';
    const isNew = !isOpen || LIST_MARK.test(line);
    if (isNew && !isBlank) questions.push(line.replace(LIST_MARK, ''));
    else if (!isBlank) questions.push(`${questions.pop()} ${line}`);
    isOpen = !isBlank;
  }
  return questions
    .map(plainLine)
    .filter((question) => !NONE.test(question))
    .slice(0, MAX_QUESTIONS)
    .map((question) => cutText(question, MAX_QUESTION_CHARS, ' …'));
}

/** The lines below the headings that speak of questions, up to the next heading that is as high. */
function linesOfQuestions(plan: string): string[] {
  const lines: string[] = [];
  let depth: number | null = null;
  let fence: string | null = null;
  for (const line of plan.split('\n')) {
    fence = fenceAfter(line, fence);
    const heading = fence === null ? headingOf(line) : null;
    if (heading === null) {
      if (depth !== null) lines.push(line);
    } else if (depth === null || heading.depth <= depth) {
      depth = QUESTIONS.test(heading.title) ? heading.depth : null;
    }
  }
  return lines;
}

function headingOf(line: string): { depth: number; title: string } | null {
  const [, marks, title = ''] = HEADING.exec(line) ?? [];
  if (marks !== undefined) return { depth: marks.length, title };
  const bold = BOLD_LINE.exec(line)?.[1];
  return bold === undefined ? null : { depth: BOLD_DEPTH, title: bold };
}

/** The code fence that is open after a line; only one as long of the same character closes it. */
function fenceAfter(line: string, open: string | null): string | null {
  const [, marks = '', rest = ''] = CODE_FENCE.exec(line.replace(LIST_MARK, '').trim()) ?? [];
  if (open === null) return marks === '' ? null : marks;
  return marks.startsWith(open) && rest.trim() === '' ? null : open;
}
