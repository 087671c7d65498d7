import * as z from 'zod';

/**
 * The used part of the Agent Client Protocol (version 1). Parsed permissively: additional or
 * missing fields must not end a session.
 */

const Text = z.string().nullish().catch(null);

const ContentBlock = z.looseObject({ type: z.string(), text: Text });

/** One part of a tool call's content: text, a changed file, or something that cannot be shown. */
export const ToolContent = z.looseObject({
  type: z.string(),
  content: ContentBlock.nullish().catch(null),
  path: Text,
  oldText: Text,
  newText: Text,
});
export type ToolContent = z.infer<typeof ToolContent>;

/** A tool call or an update of one; fields that are left out are unchanged. */
export const ToolCallFields = z.looseObject({
  toolCallId: z.string(),
  title: Text,
  name: Text,
  kind: Text,
  status: Text,
  content: z
    .array(ToolContent.catch({ type: 'unknown' }))
    .nullish()
    .catch(null),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
});
export type ToolCallFields = z.infer<typeof ToolCallFields>;

/** A chunk of a message or of the agent's thoughts. */
export const ContentChunk = z.looseObject({ messageId: Text, content: ContentBlock });

export const PlanUpdate = z.looseObject({
  entries: z.array(z.looseObject({ content: z.string(), status: z.string().catch('pending') })),
});

export const SessionUpdate = z.looseObject({
  sessionId: z.string(),
  update: z.looseObject({ sessionUpdate: z.string() }),
});

export const PermissionRequest = z.looseObject({
  sessionId: z.string(),
  toolCall: ToolCallFields.nullish().catch(null),
  options: z.array(z.looseObject({ optionId: z.string(), kind: z.string().catch('') })),
});

/** A session option that clients may set, such as its model. */
export const ConfigOption = z.looseObject({
  id: z.string(),
  category: Text,
  currentValue: z.unknown().optional(),
  options: z.array(z.unknown()).nullish().catch(null),
});
export type ConfigOption = z.infer<typeof ConfigOption>;

export const SessionOpened = z.looseObject({
  sessionId: z.string().nullish(),
  configOptions: z.array(z.unknown()).nullish().catch(null),
});

export const PromptAnswer = z.looseObject({ stopReason: z.string() });

export const InitializeAnswer = z.looseObject({
  protocolVersion: z.number(),
  agentInfo: z.looseObject({ name: Text, version: Text }).nullish().catch(null),
  agentCapabilities: z
    .looseObject({
      mcpCapabilities: z.looseObject({ http: z.boolean().nullish().catch(null) }).nullish(),
    })
    .nullish()
    .catch(null),
});
