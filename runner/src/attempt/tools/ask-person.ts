import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import { cutText } from '@switchyard/shared/text/cut-text';
import * as z from 'zod';
import type { Question, ToolAnswer } from '../../engine/agent-engine.ts';

const QUESTION_ID = 'answer';

const Arguments = z.object({
  question: z.string().trim().min(1).max(8_000),
  header: z.string().max(400).default(''),
  options: z
    .array(z.object({ label: z.string().min(1).max(400), description: z.string().default('') }))
    .max(32)
    .default([]),
});

/** The tool for engines that cannot ask people themselves. */
export const ASK_PERSON: ToolSpec = {
  name: 'ask_person',
  description:
    'Asks the people who follow this work a question and waits for their answer, which may take ' +
    'hours. Use it only for what you can neither find out nor decide yourself. Put everything that ' +
    'is needed to answer into the question: people see nothing else of what you do. An answer is ' +
    'one of the options, where you give some, or free text.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'The question, in Markdown.' },
      header: { type: 'string', description: 'What it is about, in a few words.' },
      options: {
        type: 'array',
        maxItems: 32,
        items: {
          type: 'object',
          properties: { label: { type: 'string' }, description: { type: 'string' } },
          required: ['label'],
        },
      },
    },
    required: ['question'],
  },
};

/** The question for the inbox, or why the call contains none. */
export function questionOf(given: unknown): Question | { problem: string } {
  const parsed = Arguments.safeParse(given);
  if (!parsed.success) {
    return { problem: `Nobody was asked: ${cutText(z.prettifyError(parsed.error), 400)}` };
  }
  return { id: QUESTION_ID, ...parsed.data, isSecret: false };
}

/** The answer in the form for the agent; an empty one means that nobody chose in time. */
export function answerText(answers: Record<string, string[]>): ToolAnswer {
  const given = (answers[QUESTION_ID] ?? []).filter((each) => each.trim() !== '');
  if (given.length > 0) return { success: true, text: `The answer: ${given.join('\n')}` };
  const text =
    'Nobody answered in time. Go on with what is most likely right, and name in your last message ' +
    'what you assumed.';
  return { success: true, text };
}
