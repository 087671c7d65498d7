import * as z from 'zod';
import type { Refusal, Usage } from '../step.ts';
import { Content, contentText, resultText } from './content-text.ts';
import { type ModelMessage, nameByFirstTexts, roundsOfTurn } from './rounds-of-turn.ts';
import { bearerOf, headerValue } from './header-value.ts';
import { offeredTool } from './offered-tool.ts';
import { textPieces } from './text-pieces.ts';
import type { Answer, AnswerOutput, RefusedAnswer, WireEvent, WireFormat } from './wire-format.ts';

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  content: z.unknown().optional(),
});
const Message = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(Block)]) });
const Tool = z.looseObject({ name: z.string(), input_schema: z.unknown().optional() });
const Body = z.looseObject({
  model: z.string(),
  system: Content.nullish(),
  messages: z.array(Message),
  tools: z.array(Tool).nullish(),
  stream: z.boolean().nullish(),
});

/** Anthropic's Messages API. */
export const messagesFormat: WireFormat = {
  wireApi: 'messages',
  parse(body, { headers }) {
    const { model, system, messages, tools, stream } = Body.parse(body);
    const spoken = messages.flatMap(saidIn);
    const userTexts = spoken.flatMap(({ by, texts }) => (by === 'user' ? texts : []));
    return {
      model,
      input: messages,
      userTexts,
      toolOutputs: spoken.flatMap(({ results }) => results),
      tools: (tools ?? []).map(({ name, input_schema: schema }) => offeredTool(name, schema)),
      systemText: [
        contentText(system ?? ''),
        ...messages
          .filter(({ role }) => role === 'system')
          .map(({ content }) => contentText(content)),
      ].join('\n'),
      threadId: headerValue(headers, 'x-claude-code-session-id') ?? nameByFirstTexts(userTexts),
      turnId: '',
      rounds: roundsOfTurn(spoken),
      isStreamed: stream === true,
      wantsUsage: true,
    };
  },
  keyOf: (headers) => headerValue(headers, 'x-api-key') ?? bearerOf(headers),
  refuse: refuseAsAnthropic,
  whole: (answer) => ({
    ...startedMessage(answer),
    content: answer.outputs.map((output, index) => wholeBlock(answer, output, index)),
    stop_reason: stopReason(answer),
    usage: usageFields(answer.usage, answer.usage.output),
  }),
  begin: (answer) => [
    event('message_start', { message: startedMessage(answer) }),
    event('ping', {}),
  ],
  output: streamOutput,
  end: (answer) => [
    event('message_delta', {
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: usageFields(answer.usage, answer.usage.output, 'delta'),
    }),
    event('message_stop', {}),
  ],
  openMessage: (_answer, index) => [
    event('content_block_start', { index, content_block: { type: 'text', text: '' } }),
  ],
  messagePiece: (_answer, index, text) => ({
    ...event('content_block_delta', { index, delta: { type: 'text_delta', text } }),
    pause: true,
  }),
  failInside: (refusal) => {
    // Errors in the request are reported before a stream begins.
    if (refusal.kind === 'context' || refusal.kind === 'unauthorized') return null;
    return [event('error', { error: refuseAsAnthropic(refusal).body.error })];
  },
};

const event = (type: string, fields: Record<string, unknown>): WireEvent => ({
  event: type,
  data: { type, ...fields },
});

function saidIn({ role, content }: z.infer<typeof Message>): ModelMessage[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : []));
  if (role === 'assistant') {
    const tools = blocks.some(({ type }) => type === 'tool_use');
    return [{ by: 'model', tools, texts, results: [] }];
  }
  if (role !== 'user') return [];
  const results = blocks.flatMap((block) =>
    block.type === 'tool_result' && 'content' in block ? [resultText(block.content ?? '')] : [],
  );
  return [{ by: 'user', tools: results.length > 0, texts, results }];
}

function startedMessage({ callId, model, usage }: Answer): Record<string, unknown> {
  return {
    id: `msg_${callId}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    // Output tokens are counted as they are streamed; the stream starts with at most one.
    usage: usageFields(usage, Math.min(1, usage.output)),
  };
}

/**
 * Usage in Anthropic's fields: `input_tokens` excludes cached ones, and thoughts are part of the
 * output.
 */
function usageFields(
  { input, cachedInput }: Usage,
  output: number,
  where: 'message' | 'delta' = 'message',
): Record<string, unknown> {
  const counts = {
    input_tokens: input - cachedInput,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedInput,
    output_tokens: output,
  };
  if (where === 'delta') return counts;
  return {
    ...counts,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    service_tier: 'standard',
  };
}

const SIGNATURE = Buffer.from('scripted').toString('base64');

function streamOutput(answer: Answer, index: number): WireEvent[] {
  const output = answer.outputs[index];
  if (output === undefined) return [];
  const delta = (fields: Record<string, unknown>) =>
    event('content_block_delta', { index, delta: fields });
  const stop = event('content_block_stop', { index });
  if (output.type === 'message') {
    return [
      ...messagesFormat.openMessage(answer, index),
      ...textPieces(output.text).map((piece) => messagesFormat.messagePiece(answer, index, piece)),
      stop,
    ];
  }
  const block = wholeBlock(answer, output, index);
  if (output.type === 'reasoning') {
    const opened = { ...block, thinking: '', signature: '' };
    return [
      event('content_block_start', { index, content_block: opened }),
      ...textPieces(output.text).map((thinking) => ({
        ...delta({ type: 'thinking_delta', thinking }),
        pause: true as const,
      })),
      delta({ type: 'signature_delta', signature: SIGNATURE }),
      stop,
    ];
  }
  const json = JSON.stringify(block['input']);
  return [
    event('content_block_start', { index, content_block: { ...block, input: {} } }),
    delta({ type: 'input_json_delta', partial_json: '' }),
    delta({ type: 'input_json_delta', partial_json: json }),
    stop,
  ];
}

function wholeBlock(
  { callId }: Answer,
  output: AnswerOutput,
  index: number,
): Record<string, unknown> {
  switch (output.type) {
    case 'message':
      return { type: 'text', text: output.text, citations: null };
    case 'reasoning':
      return { type: 'thinking', thinking: output.text, signature: SIGNATURE };
    case 'tool': {
      const id = `toolu_${callId}_${index}`;
      return { type: 'tool_use', id, name: output.name, input: output.arguments };
    }
    case 'custom_tool':
      throw new Error('the Messages API has no tools that take text');
  }
}

const stopReason = ({ outputs }: Answer): string =>
  outputs.some(({ type }) => type === 'tool') ? 'tool_use' : 'end_turn';

const ERRORS: Record<Refusal['kind'], { status: number; type: string; message: string }> = {
  unauthorized: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  rate_limit: {
    status: 429,
    type: 'rate_limit_error',
    message: 'This request would exceed the rate limit for your organization',
  },
  quota: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  },
  server_error: { status: 500, type: 'api_error', message: 'Internal server error' },
  overloaded: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  context: {
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 210000 tokens > 200000 maximum',
  },
};

/** A refusal in Anthropic's format, with its rate limit headers where the reset time is known. */
function refuseAsAnthropic({ kind, retryAfterS, resetAtMs }: Refusal): RefusedAnswer & {
  body: { type: 'error'; error: { type: string; message: string }; request_id: string };
} {
  const { status, type, message } = ERRORS[kind];
  const headers: Record<string, string> = { 'request-id': 'req_scripted' };
  if (retryAfterS !== undefined) headers['retry-after'] = String(retryAfterS);
  if (resetAtMs !== undefined) {
    const reset = new Date(resetAtMs).toISOString().replace(/\.\d+Z$/, 'Z');
    headers['anthropic-ratelimit-requests-limit'] = '50';
    headers['anthropic-ratelimit-requests-remaining'] = '0';
    headers['anthropic-ratelimit-requests-reset'] = reset;
  }
  const body = { type: 'error' as const, error: { type, message }, request_id: 'req_scripted' };
  return { status, headers, body };
}
