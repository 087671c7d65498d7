import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import type { Usage } from '../step.ts';
import { type ModelMessage, roundsOfTurn } from './rounds-of-turn.ts';
import { bearerOf, headerValue } from './header-value.ts';
import { Content, contentText, resultText } from './content-text.ts';
import { offeredTool } from './offered-tool.ts';
import { refuseAsOpenAi } from './refuse-as-open-ai.ts';
import { textPieces } from './text-pieces.ts';
import type { Answer, AnswerOutput, WireEvent, WireFormat } from './wire-format.ts';

const InputItem = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: Content.nullish(),
  output: z.unknown().optional(),
});
const Tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  parameters: z.unknown().optional(),
});
const Body = z.looseObject({
  model: z.string().default(''),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(z.unknown())]).default([]),
  tools: z.array(Tool).default([]),
  stream: z.boolean().nullish(),
  prompt_cache_key: z.string().nullish(),
});
const TurnMetadata = z.looseObject({ turn_id: z.string().optional() });

/** OpenAI's Responses API. */
export const responsesFormat: WireFormat = {
  wireApi: 'responses',
  parse(body, { headers }) {
    const parsed = Body.parse(body);
    const { model, input, tools, instructions } = parsed;
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
    const userTexts: string[] = [];
    const toolOutputs: string[] = [];
    const messages: ModelMessage[] = [];
    for (const raw of items) {
      const item = InputItem.parse(raw);
      const text = item.content ? contentText(item.content) : '';
      const isResult = item.type?.endsWith('_call_output') ?? false;
      if (item.role === 'user' && item.content) userTexts.push(text);
      if (isResult) toolOutputs.push(resultText(item.output));
      if (item.role === 'user' || isResult) {
        const results = isResult ? [resultText(item.output)] : [];
        messages.push({ by: 'user', tools: isResult, texts: isResult ? [] : [text], results });
      } else if (item.role === 'assistant' || item.type?.endsWith('_call') === true) {
        const tools = item.type?.endsWith('_call') === true;
        messages.push({ by: 'model', tools, texts: [], results: [] });
      }
    }
    const turnId = turnIdOf(headers);
    return {
      model,
      input: items,
      userTexts,
      toolOutputs,
      tools: tools.map((tool) => offeredTool(tool.name ?? tool.type, tool.parameters)),
      systemText: instructions ?? '',
      threadId: headerValue(headers, 'thread-id') ?? parsed.prompt_cache_key ?? '',
      turnId,
      ...(turnId === '' ? { rounds: roundsOfTurn(messages) } : {}),
      isStreamed: parsed.stream === true,
      wantsUsage: true,
    };
  },
  keyOf: bearerOf,
  refuse: refuseAsOpenAi,
  whole: (answer) => responseOf(answer, 'completed'),
  begin: (answer) => [
    sequenced('response.created', { response: { ...responseOf(answer, 'in_progress') } }),
  ],
  output: (answer, index) => streamOutput(answer, index),
  end: (answer) => [sequenced('response.completed', { response: responseOf(answer, 'completed') })],
  openMessage: (answer, index) => [
    sequenced('response.output_item.added', {
      output_index: index,
      item: messageItem(`msg_${answer.callId}_${index}`, ''),
    }),
  ],
  messagePiece: (answer, index, delta) => ({
    ...sequenced('response.output_text.delta', {
      item_id: `msg_${answer.callId}_${index}`,
      output_index: index,
      content_index: 0,
      delta,
      logprobs: [],
    }),
    pause: true,
  }),
  refusesInside: ['context'],
  failInside: (refusal, answer) => {
    const { error } = refuseAsOpenAi(refusal, 0).body;
    const failed = { ...responseOf({ ...answer, outputs: [] }, 'failed'), usage: null };
    const { code, message } = error;
    return [
      sequenced('response.failed', {
        response: { ...failed, error: { code: code ?? 'server_error', message } },
      }),
    ];
  },
};

/**
 * Builds an event of the stream; the stream numbers it when it is sent, as every event requires.
 */
const sequenced = (type: string, fields: Record<string, unknown>): WireEvent => ({
  event: type,
  data: { type, ...fields },
});

function responseOf(
  { callId, model, outputs, usage }: Answer,
  status: 'in_progress' | 'completed' | 'failed',
): Record<string, unknown> {
  const isOver = status === 'completed';
  return {
    id: `resp_${callId}`,
    object: 'response',
    created_at: 0,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: isOver ? outputs.map((output, index) => itemOf(output, `${callId}_${index}`)) : [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: isOver ? usageFields(usage) : null,
  };
}

function streamOutput(answer: Answer, index: number): WireEvent[] {
  const output = answer.outputs[index];
  if (output === undefined) return [];
  const item = itemOf(output, `${answer.callId}_${index}`);
  const done = sequenced('response.output_item.done', { output_index: index, item });
  if (output.type === 'message') return [...streamMessage(answer, index, output.text), done];
  if (output.type === 'reasoning') {
    const place = { item_id: item.id, output_index: index, summary_index: 0 };
    return [
      sequenced('response.output_item.added', {
        output_index: index,
        item: { ...item, summary: [] },
      }),
      sequenced('response.reasoning_summary_part.added', {
        ...place,
        part: { type: 'summary_text', text: '' },
      }),
      ...textPieces(output.text).map((delta) => ({
        ...sequenced('response.reasoning_summary_text.delta', { ...place, delta }),
        pause: true as const,
      })),
      sequenced('response.reasoning_summary_text.done', { ...place, text: output.text }),
      done,
    ];
  }
  const isFunction = output.type === 'tool';
  const field = isFunction ? 'arguments' : 'input';
  const event = isFunction ? 'response.function_call_arguments' : 'response.custom_tool_call_input';
  const place = { item_id: item.id, output_index: index };
  const added = { output_index: index, item: { ...item, [field]: '', status: 'in_progress' } };
  return [
    sequenced('response.output_item.added', added),
    sequenced(`${event}.delta`, { ...place, delta: item[field] }),
    sequenced(`${event}.done`, { ...place, [field]: item[field] }),
    done,
  ];
}

function streamMessage(answer: Answer, index: number, text: string): WireEvent[] {
  const place = { item_id: `msg_${answer.callId}_${index}`, output_index: index, content_index: 0 };
  const part = (value: string) => ({ type: 'output_text', text: value, annotations: [] });
  return [
    ...responsesFormat.openMessage(answer, index),
    sequenced('response.content_part.added', { ...place, part: part('') }),
    ...textPieces(text).map((piece) => responsesFormat.messagePiece(answer, index, piece)),
    sequenced('response.output_text.done', { ...place, text, logprobs: [] }),
    sequenced('response.content_part.done', { ...place, part: part(text) }),
  ];
}

type Item = Record<string, unknown> & { id: string };

function itemOf(output: AnswerOutput, suffix: string): Item {
  const callId = `call_${suffix}`;
  const status = 'completed';
  switch (output.type) {
    case 'message':
      return messageItem(`msg_${suffix}`, output.text);
    case 'reasoning': {
      const summary = [{ type: 'summary_text', text: output.text }];
      return { type: 'reasoning', id: `rs_${suffix}`, summary };
    }
    case 'tool': {
      const callArguments = JSON.stringify(output.arguments);
      const call = { call_id: callId, name: output.name, arguments: callArguments, status };
      return { type: 'function_call', id: `fc_${suffix}`, ...call };
    }
    case 'custom_tool': {
      const call = { call_id: callId, name: output.name, input: output.input, status };
      return { type: 'custom_tool_call', id: `ctc_${suffix}`, ...call };
    }
  }
}

function messageItem(id: string, text: string): Item {
  const content = text === '' ? [] : [{ type: 'output_text', text, annotations: [] }];
  const status = text === '' ? 'in_progress' : 'completed';
  return { type: 'message', id, role: 'assistant', status, content };
}

function usageFields({ input, cachedInput, output, reasoning }: Usage): Record<string, unknown> {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedInput },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

/** The turn's id from the engine's metadata header; empty where that is missing or malformed. */
function turnIdOf(headers: IncomingHttpHeaders): string {
  const value = headerValue(headers, 'x-codex-turn-metadata');
  if (value === null) return '';
  try {
    return TurnMetadata.parse(JSON.parse(value)).turn_id ?? '';
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return '';
    throw error;
  }
}
