import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';

/** One call of the engine, as a script sees it and as tests inspect it afterwards. */
export type ProviderRequest = {
  receivedAtMs: number;
  method: string;
  path: string;
  /** SHA-256 of the Authorization header in hex; the value itself is not kept. */
  authorizationSha256: string | null;
  /** False when an apiKey is demanded and this was not it. */
  authorized: boolean;
  threadId: string;
  turnId: string;
  model: string;
  /** Raw input items. */
  input: unknown[];
  toolNames: string[];
  /** Everything that was said to the model as the user, oldest first. */
  userTexts: string[];
  /** Results of the model's tool calls, oldest first. */
  toolOutputs: string[];
  /** Which call of its thread this is, from 0; a repeated call counts again. */
  callIndex: number;
  /** Tool results since the turn began; the same again when a call is repeated. */
  stepIndex: number;
};

const Content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
]);
const InputItem = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: Content.nullish(),
  output: z.unknown().optional(),
});
const Tool = z.looseObject({ type: z.string(), name: z.string().optional() });
const Body = z.looseObject({
  model: z.string().default(''),
  input: z.union([z.string(), z.array(z.unknown())]).default([]),
  tools: z.array(Tool).default([]),
});
const TurnMetadata = z.looseObject({ turn_id: z.string().optional() });

export type ParsedBody = Pick<
  ProviderRequest,
  'model' | 'input' | 'userTexts' | 'toolOutputs' | 'toolNames'
>;

function textOf(content: z.infer<typeof Content>): string {
  if (typeof content === 'string') return content;
  return content.map((part) => part.text ?? '').join('\n');
}

/** Throws a ZodError or SyntaxError when the body is no Responses request. */
export function parseBody(body: string): ParsedBody {
  const { model, input, tools } = Body.parse(JSON.parse(body));
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const userTexts: string[] = [];
  const toolOutputs: string[] = [];
  for (const raw of items) {
    const item = InputItem.parse(raw);
    if (item.role === 'user' && item.content) userTexts.push(textOf(item.content));
    if (item.type?.endsWith('_call_output')) toolOutputs.push(outputText(item.output));
  }
  const toolNames = tools.map((tool) => tool.name ?? tool.type);
  return { model, input: items, userTexts, toolOutputs, toolNames };
}

function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  const parts = Content.safeParse(output);
  return parts.success ? textOf(parts.data) : JSON.stringify(output);
}

export function headerValue(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

/** Empty when the engine sent no metadata that we understand. */
export function turnIdOf(headers: IncomingHttpHeaders): string {
  const value = headerValue(headers, 'x-codex-turn-metadata');
  if (value === null) return '';
  try {
    return TurnMetadata.parse(JSON.parse(value)).turn_id ?? '';
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return '';
    throw error;
  }
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
