import * as z from 'zod';
import type { Usage } from '../step.ts';
import { Content, contentText } from './content-text.ts';
import { type ModelMessage, nameByFirstTexts, roundsOfTurn } from './rounds-of-turn.ts';
import { bearerOf, headerValue } from './header-value.ts';
import { offeredTool } from './offered-tool.ts';
import { refuseAsOpenAi } from './refuse-as-open-ai.ts';
import { textPieces } from './text-pieces.ts';
import type { Answer, AnswerOutput, WireEvent, WireFormat } from './wire-format.ts';

const Message = z.looseObject({
  role: z.string(),
  content: Content.nullish(),
  tool_calls: z.array(z.unknown()).nullish(),
});
const Tool = z.looseObject({
  function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }).optional(),
});
const Body = z.looseObject({
  model: z.string(),
  messages: z.array(Message),
  tools: z.array(Tool).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});

/** OpenAI's Chat Completions API. */
export const chatFormat: WireFormat = {
  wireApi: 'chat',
  parse(body, { headers }) {
    const { model, messages, tools, stream, stream_options: streamOptions } = Body.parse(body);
    const spoken = messages.flatMap(saidIn);
    const userTexts = spoken.flatMap(({ by, texts }) => (by === 'user' ? texts : []));
    const isSystem = ({ role }: { role: string }) => role === 'system' || role === 'developer';
    return {
      model,
      input: messages,
      userTexts,
      toolOutputs: spoken.flatMap(({ results }) => results),
      tools: (tools ?? []).flatMap(({ function: offered }) =>
        offered === undefined ? [] : [offeredTool(offered.name, offered.parameters)],
      ),
      systemText: messages
        .filter(isSystem)
        .map(({ content }) => contentText(content ?? ''))
        .join('\n'),
      threadId: headerValue(headers, 'x-session-affinity') ?? nameByFirstTexts(userTexts),
      turnId: '',
      rounds: roundsOfTurn(spoken),
      isStreamed: stream === true,
      wantsUsage: streamOptions?.include_usage === true,
    };
  },
  keyOf: bearerOf,
  refuse: refuseAsOpenAi,
  whole: (answer) => ({
    id: `chatcmpl-${answer.callId}`,
    object: 'chat.completion',
    created: 0,
    model: answer.model,
    system_fingerprint: 'fp_scripted',
    service_tier: 'default',
    choices: [
      {
        index: 0,
        logprobs: null,
        finish_reason: finishReason(answer),
        message: wholeMessage(answer),
      },
    ],
    usage: usageFields(answer.usage),
  }),
  begin: (answer) => [chunk(answer, { role: 'assistant', content: '', refusal: null })],
  output: streamOutput,
  end: (answer) => [
    chunk(answer, {}, finishReason(answer)),
    ...(answer.wantsUsage
      ? [{ data: { ...chunkFields(answer), choices: [], usage: usageFields(answer.usage) } }]
      : []),
    { data: '[DONE]' },
  ],
  openMessage: () => [],
  messagePiece: (answer, _index, content) => ({ ...chunk(answer, { content }), pause: true }),
  failInside: (refusal) => [{ data: refuseAsOpenAi(refusal, 0).body }],
};

function saidIn({ role, content, tool_calls: calls }: z.infer<typeof Message>): ModelMessage[] {
  const text = contentText(content ?? '');
  if (role === 'assistant') {
    return [{ by: 'model', tools: (calls?.length ?? 0) > 0, texts: [text], results: [] }];
  }
  if (role === 'tool') return [{ by: 'user', tools: true, texts: [], results: [text] }];
  return role === 'user' ? [{ by: 'user', tools: false, texts: [text], results: [] }] : [];
}

function chunkFields({ callId, model, wantsUsage }: Answer): Record<string, unknown> {
  return {
    id: `chatcmpl-${callId}`,
    object: 'chat.completion.chunk',
    created: 0,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_scripted',
    // With usage requested, every chunk has the field, and only the last chunk has a value in it.
    ...(wantsUsage ? { usage: null } : {}),
  };
}

function chunk(
  answer: Answer,
  delta: Record<string, unknown>,
  finish: string | null = null,
): WireEvent {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
  return { data: { ...chunkFields(answer), choices: [choice] } };
}

function streamOutput(answer: Answer, index: number): WireEvent[] {
  const output = answer.outputs[index];
  if (output === undefined) return [];
  if (output.type === 'message') {
    return textPieces(output.text).map((piece) => chatFormat.messagePiece(answer, index, piece));
  }
  if (output.type === 'reasoning') {
    // `reasoning_content` is not OpenAI's: compatible providers send it, and clients of the format
    // read it.
    return textPieces(output.text).map((piece) => ({
      ...chunk(answer, { reasoning_content: piece }),
      pause: true as const,
    }));
  }
  const place = toolsBefore(answer, index);
  const call = toolCall(answer, output, index);
  const opened = { ...call, function: { ...call.function, arguments: '' } };
  const text = call.function.arguments;
  return [
    chunk(answer, { tool_calls: [{ index: place, ...opened }] }),
    chunk(answer, { tool_calls: [{ index: place, function: { arguments: text } }] }),
  ];
}

const isTool = ({ type }: AnswerOutput): boolean => type === 'tool' || type === 'custom_tool';
const toolsBefore = ({ outputs }: Answer, index: number): number =>
  outputs.slice(0, index).filter(isTool).length;
const finishReason = ({ outputs }: Answer): string =>
  outputs.some(isTool) ? 'tool_calls' : 'stop';

function toolCall({ callId }: Answer, output: AnswerOutput, index: number) {
  const id = `call_${callId}_${index}`;
  if (output.type !== 'tool') throw new Error(`Chat Completions has no ${output.type}`);
  const call = { name: output.name, arguments: JSON.stringify(output.arguments) };
  return { id, type: 'function', function: call };
}

function wholeMessage(answer: Answer): Record<string, unknown> {
  const calls = answer.outputs.flatMap((output, index) =>
    isTool(output) ? [toolCall(answer, output, index)] : [],
  );
  const text = answer.outputs.flatMap((output) => (output.type === 'message' ? output.text : []));
  return {
    role: 'assistant',
    refusal: null,
    annotations: [],
    content: text.length === 0 ? null : text.join('\n'),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function usageFields({ input, cachedInput, output, reasoning }: Usage): Record<string, unknown> {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cachedInput, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
