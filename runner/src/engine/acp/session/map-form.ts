import * as z from 'zod';
import type { CreateElicitationResponse } from '@agentclientprotocol/sdk';
import type { Question } from '../../agent-engine.ts';
import type { ServerAnswer } from '../../json-rpc/rpc-client.ts';
import type { AnswerFormat } from '../../session/open-questions.ts';
import type { OpenRequest } from '../../session/session-journal.ts';

const Text = z.string().nullish().catch(null);
const Choice = z.looseObject({ const: z.string(), title: Text, description: Text });
const Choices = z.array(Choice).nullish().catch(null);
const Words = z.array(z.string()).nullish().catch(null);

const Property = z.looseObject({
  type: Text,
  title: Text,
  description: Text,
  format: Text,
  enum: Words,
  oneOf: Choices,
  anyOf: Choices,
  items: z.looseObject({ enum: Words, oneOf: Choices, anyOf: Choices }).nullish().catch(null),
});
type Property = z.infer<typeof Property>;

const Form = z.looseObject({
  mode: z.literal('form'),
  message: Text,
  sessionId: z.string().nullish().catch(null),
  requestedSchema: z.looseObject({
    title: Text,
    properties: z.record(z.string(), Property).catch({}),
  }),
});

type Fields = OpenRequest['fields'];
export type AskedForm = { sessionId: string | null; questions: Question[]; fields: Fields };

/** An agent's form as questions for people; null when it cannot be shown. */
export function mapForm(params: unknown): AskedForm | null {
  const parsed = Form.safeParse(params);
  if (!parsed.success) return null;
  const { message, requestedSchema, sessionId } = parsed.data;
  const properties = Object.entries(requestedSchema.properties);
  const asked = properties.map(([id, property]) => {
    const choices = choicesOf(property);
    const question: Question = {
      id,
      header: property.title ?? requestedSchema.title ?? id,
      question: property.description ?? message ?? property.title ?? id,
      isSecret: property.format === 'password',
      options: choices.map(({ label, description }) => ({ label, description })),
    };
    const values = choices.map(({ label, value }) => ({ label, value }));
    return { question, field: { id, type: property.type ?? 'string', values } };
  });
  const questions = asked.map(({ question }) => question);
  return { sessionId: sessionId ?? null, questions, fields: asked.map(({ field }) => field) };
}

type Value = string | number | boolean | string[];

export const replyToForm = (response: CreateElicitationResponse): ServerAnswer => ({
  result: response,
});

export const ANSWER_FORMAT: AnswerFormat = {
  answered: ({ fields }, answers) => {
    const content = formContent(fields, answers);
    return replyToForm(content === null ? { action: 'decline' } : { action: 'accept', content });
  },
  cancelled: replyToForm({ action: 'cancel' }),
};

/** People's answers as the values of a form; null when no question was answered. */
function formContent(
  fields: Fields,
  answers: Record<string, string[]>,
): Record<string, Value> | null {
  const content = fields.flatMap(({ id, type, values }): [string, Value][] => {
    const chosen = (answers[id] ?? []).map(
      (word) => values.find(({ label }) => label === word)?.value ?? word,
    );
    const [first] = chosen;
    if (first === undefined) return [];
    if (type === 'array') return [[id, chosen]];
    if (type === 'boolean') return [[id, /^(true|yes|y|1)$/i.test(first)]];
    const isNumber = type === 'number' || type === 'integer';
    if (isNumber && first.trim() !== '' && Number.isFinite(Number(first))) {
      return [[id, Number(first)]];
    }
    return [[id, chosen.join(', ')]];
  });
  return content.length === 0 ? null : Object.fromEntries(content);
}

function choicesOf(property: Property): { label: string; value: string; description: string }[] {
  const { items } = property;
  const named = property.oneOf ?? property.anyOf ?? items?.oneOf ?? items?.anyOf;
  if (named) {
    return named.map(({ const: value, title, description }) => ({
      label: title ?? value,
      value,
      description: description ?? '',
    }));
  }
  if (property.type === 'boolean') {
    return ['Yes', 'No'].map((label) => ({ label, value: label, description: '' }));
  }
  const choices = property.enum ?? items?.enum ?? [];
  return choices.map((word) => ({ label: word, value: word, description: '' }));
}
