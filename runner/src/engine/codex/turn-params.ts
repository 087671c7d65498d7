import * as z from 'zod';
import { RpcId } from '../json-rpc/rpc-message.ts';

/**
 * The used part of the app-server protocol (0.169). Parsed permissively: unused fields may be
 * missing, new or different.
 */

/** The fields of nearly every notification that say where it belongs. */
export const Scope = z.looseObject({
  threadId: z.string().nullish(),
  turnId: z.string().nullish(),
});

export const InitializeResult = z.looseObject({ userAgent: z.string() });
export const ThreadResult = z.looseObject({ thread: z.looseObject({ id: z.string() }) });
export const TurnResult = z.looseObject({ turn: z.looseObject({ id: z.string() }) });

const ErrorInfo = z.union([z.string(), z.record(z.string(), z.unknown())]);
export const TurnError = z.looseObject({
  message: z.string(),
  codexErrorInfo: ErrorInfo.nullish(),
  additionalDetails: z.string().nullish(),
});
export type TurnError = z.infer<typeof TurnError>;

export const ErrorParams = z.looseObject({ error: TurnError, willRetry: z.boolean() });

export const TurnParams = z.looseObject({
  threadId: z.string(),
  turn: z.looseObject({
    id: z.string(),
    status: z.string(),
    error: TurnError.nullish(),
  }),
});

const Text = z.string().nullish();
const FileChange = z.looseObject({
  path: z.string(),
  kind: z.union([z.string(), z.looseObject({ type: z.string() })]),
  diff: Text,
});

/** All item types in one schema: which fields are set depends on `type`. */
export const Item = z.looseObject({
  id: z.string(),
  type: z.string(),
  text: Text,
  clientId: Text,
  content: z.array(z.unknown()).nullish(),
  summary: z.array(z.string()).nullish(),
  command: Text,
  cwd: Text,
  status: Text,
  exitCode: z.number().nullish(),
  aggregatedOutput: Text,
  durationMs: z.number().nullish(),
  changes: z.array(FileChange).nullish(),
  tool: Text,
  server: Text,
  arguments: z.unknown().optional(),
  result: z.unknown().optional(),
  contentItems: z.unknown().optional(),
  error: z.unknown().optional(),
  query: Text,
  path: Text,
});
export type Item = z.infer<typeof Item>;

export const ItemParams = z.looseObject({ item: Item });
export const DeltaParams = z.looseObject({ itemId: z.string(), delta: z.string() });
export const PlanParams = z.looseObject({
  turnId: z.string(),
  explanation: Text,
  plan: z.array(z.looseObject({ step: z.string(), status: z.string() })),
});

const Tokens = z.looseObject({
  totalTokens: z.number(),
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
  reasoningOutputTokens: z.number(),
});
export type Tokens = z.infer<typeof Tokens>;

export const TokenUsageParams = z.looseObject({
  tokenUsage: z.looseObject({
    total: Tokens,
    last: Tokens.nullish().catch(null),
    modelContextWindow: z.number().nullish(),
  }),
});

const RateLimitWindow = z.looseObject({
  usedPercent: z.number(),
  /** Epoch seconds. */
  resetsAt: z.number().nullish(),
});
export type RateLimitWindow = z.infer<typeof RateLimitWindow>;
export const RateLimitsParams = z.looseObject({
  rateLimits: z.looseObject({
    primary: RateLimitWindow.nullish(),
    secondary: RateLimitWindow.nullish(),
  }),
});

export const WarningParams = z.looseObject({ message: z.string() });
export const SummaryParams = z.looseObject({ summary: z.string(), details: Text });
export const ReroutedParams = z.looseObject({ fromModel: z.string(), toModel: z.string() });
export const ResolvedParams = z.looseObject({ requestId: RpcId });

export const UserInputParams = z.looseObject({
  threadId: z.string(),
  turnId: z.string(),
  questions: z.array(
    z.looseObject({
      id: z.string(),
      header: z.string(),
      question: z.string(),
      isSecret: z.boolean().default(false),
      options: z.array(z.looseObject({ label: z.string(), description: z.string() })).nullish(),
    }),
  ),
});

export const ToolCallParams = z.looseObject({
  threadId: z.string(),
  turnId: z.string(),
  tool: z.string(),
  arguments: z.unknown(),
});

export const PermissionsParams = z.looseObject({ permissions: z.unknown() });
