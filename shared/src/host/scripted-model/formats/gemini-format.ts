import * as z from 'zod';
import type { Refusal, Usage } from '../step.ts';
import { type ModelMessage, nameByFirstTexts, roundsOfTurn } from './rounds-of-turn.ts';
import { headerValue } from './header-value.ts';
import { offeredTool } from './offered-tool.ts';
import { textPieces } from './text-pieces.ts';
import type { Answer, AnswerOutput, RefusedAnswer, WireEvent, WireFormat } from './wire-format.ts';

const Part = z.looseObject({
  text: z.string().optional(),
  functionCall: z.unknown().optional(),
  functionResponse: z.looseObject({ response: z.unknown().optional() }).optional(),
});
const ContentOf = z.looseObject({ role: z.string().optional(), parts: z.array(Part).default([]) });
const Declaration = z.looseObject({
  name: z.string(),
  parameters: z.unknown().optional(),
  parametersJsonSchema: z.unknown().optional(),
});
const Body = z.looseObject({
  contents: z.array(ContentOf),
  systemInstruction: ContentOf.nullish(),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(Declaration).nullish() })).nullish(),
});

/** Gemini's `generateContent` and `streamGenerateContent`, which have the model in their path. */
export const geminiFormat: WireFormat = {
  wireApi: 'gemini',
  parse(body, { path }) {
    const { contents, systemInstruction, tools } = Body.parse(body);
    const spoken = contents.map(saidIn);
    const userTexts = spoken.flatMap(({ by, texts }) => (by === 'user' ? texts : []));
    return {
      model: decodeURIComponent(/\/models\/([^/:]+):/.exec(path)?.[1] ?? ''),
      input: contents,
      userTexts,
      toolOutputs: spoken.flatMap(({ results }) => results),
      tools: (tools ?? [])
        .flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
        .map(({ name, parameters, parametersJsonSchema }) =>
          offeredTool(name, parametersJsonSchema ?? parameters),
        ),
      systemText: (systemInstruction?.parts ?? []).map(({ text }) => text ?? '').join('\n'),
      threadId: nameByFirstTexts(userTexts),
      turnId: '',
      rounds: roundsOfTurn(spoken),
      isStreamed: path.endsWith(':streamGenerateContent'),
      wantsUsage: true,
    };
  },
  keyOf: (headers, query) => headerValue(headers, 'x-goog-api-key') ?? query.get('key') ?? '',
  refuse: refuseAsGoogle,
  whole: (answer) =>
    chunk(
      answer,
      answer.outputs.map((output) => partOf(output)),
      'STOP',
    ).data,
  begin: () => [],
  output: (answer, index) => {
    const output = answer.outputs[index];
    if (output === undefined) return [];
    if (output.type === 'message') {
      return textPieces(output.text).map((piece) =>
        geminiFormat.messagePiece(answer, index, piece),
      );
    }
    if (output.type === 'reasoning') {
      return textPieces(output.text).map((text) => ({
        ...chunk(answer, [{ text, thought: true }]),
        pause: true as const,
      }));
    }
    return [chunk(answer, [partOf(output)])];
  },
  end: (answer) => [chunk(answer, [{ text: '' }], 'STOP')],
  openMessage: () => [],
  messagePiece: (answer, _index, text) => ({ ...chunk(answer, [{ text }]), pause: true }),
  failInside: (refusal) => [{ data: refuseAsGoogle(refusal).body }],
};

function saidIn({ role, parts }: z.infer<typeof ContentOf>): ModelMessage {
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  if (role === 'model') {
    const tools = parts.some(({ functionCall }) => functionCall !== undefined);
    return { by: 'model', tools, texts, results: [] };
  }
  const results = parts.flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [responseText(functionResponse.response)],
  );
  return { by: 'user', tools: results.length > 0, texts, results };
}

const Output = z.looseObject({ output: z.string() });
function responseText(response: unknown): string {
  const parsed = Output.safeParse(response);
  return parsed.success ? parsed.data.output : JSON.stringify(response ?? null);
}

/**
 * Every chunk has token counts, but only the last has final ones: earlier chunks count no output.
 */
function chunk(
  { callId, model, usage }: Answer,
  parts: Record<string, unknown>[],
  finishReason?: string,
): WireEvent {
  const content = { parts, role: 'model' };
  return {
    data: {
      candidates: [{ content, ...(finishReason === undefined ? {} : { finishReason }), index: 0 }],
      usageMetadata: finishReason === undefined ? inputFields(usage) : usageFields(usage),
      modelVersion: model,
      responseId: callId,
    },
  };
}

function inputFields({ input, cachedInput }: Usage): Record<string, unknown> {
  return {
    promptTokenCount: input,
    totalTokenCount: input,
    ...(cachedInput === 0 ? {} : { cachedContentTokenCount: cachedInput }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
  };
}

/** Usage in Gemini's fields, where thoughts are counted separately from the candidates' tokens. */
function usageFields(usage: Usage): Record<string, unknown> {
  const { input, output, reasoning } = usage;
  return {
    ...inputFields(usage),
    candidatesTokenCount: output - reasoning,
    ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
    totalTokenCount: input + output,
  };
}

function partOf(output: AnswerOutput): Record<string, unknown> {
  switch (output.type) {
    case 'message':
      return { text: output.text };
    case 'reasoning':
      return { text: output.text, thought: true };
    case 'tool':
      return { functionCall: { name: output.name, args: output.arguments } };
    case 'custom_tool':
      throw new Error('Gemini has no tools that take text');
  }
}

const ERRORS: Record<Refusal['kind'], { code: number; status: string; message: string }> = {
  unauthorized: {
    code: 401,
    status: 'UNAUTHENTICATED',
    message: 'Request had invalid authentication credentials.',
  },
  rate_limit: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'Resource has been exhausted (e.g. check quota).',
  },
  quota: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message:
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.',
  },
  server_error: { code: 500, status: 'INTERNAL', message: 'An internal error has occurred.' },
  overloaded: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' },
  context: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message:
      'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
  },
};

/** A refusal in Google's format, with the delay in the error's details. */
function refuseAsGoogle({ kind, retryAfterS, resetAtMs }: Refusal, nowMs = 0): RefusedAnswer {
  const { code, status, message } = ERRORS[kind];
  const waitS =
    retryAfterS ?? (resetAtMs === undefined ? undefined : Math.ceil((resetAtMs - nowMs) / 1000));
  const details: Record<string, unknown>[] = [];
  if (kind === 'quota') {
    const violation = {
      quotaMetric: 'generativelanguage.googleapis.com/generate_content_requests',
      quotaId: 'GenerateRequestsPerDayPerProjectPerModel',
    };
    const type = 'type.googleapis.com/google.rpc.QuotaFailure';
    details.push({ '@type': type, violations: [violation] });
  }
  if (waitS !== undefined) {
    const type = 'type.googleapis.com/google.rpc.RetryInfo';
    details.push({ '@type': type, retryDelay: `${waitS}s` });
  }
  const error = { code, message, status, ...(details.length === 0 ? {} : { details }) };
  return { status: code, headers: {}, body: { error } };
}
