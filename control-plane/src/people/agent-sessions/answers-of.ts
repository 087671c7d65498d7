import type { Question } from '@switchyard/shared/api/work/question';

const NUMBERED = /^\s*(\d{1,2})[.):]\s*(.*)$/;

/**
 * A person's text as answers to what the agent asked, by question id. With several questions each
 * numbered line begins an answer; every question without one gets the whole text. Pure.
 */
export function answersOf(questions: readonly Question[], text: string): Record<string, string[]> {
  const parts = questions.length > 1 ? numbered(text, questions.length) : new Map();
  const entries = questions.map((question, at) => {
    const answer = parts.get(at + 1) ?? text.trim();
    return [question.id, [labelOf(question, answer)]];
  });
  return Object.fromEntries(entries) as Record<string, string[]>;
}

function numbered(text: string, count: number): Map<number, string> {
  const parts = new Map<number, string>();
  let at = 0;
  for (const line of text.split('\n')) {
    const [, digits, rest = ''] = NUMBERED.exec(line) ?? [];
    const named = Number(digits ?? 0);
    if (named >= 1 && named <= count) at = named;
    if (at > 0)
      parts.set(at, [parts.get(at), named === at ? rest : line].filter(Boolean).join('\n'));
  }
  return new Map([...parts].map(([key, value]) => [key, value.trim()]));
}

/** The option's exact label if the text matches one. */
function labelOf({ options }: Question, answer: string): string {
  const key = answer.trim().toLowerCase();
  return options.find(({ label }) => label.trim().toLowerCase() === key)?.label ?? answer;
}
