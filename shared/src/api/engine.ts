import { z } from 'zod';
import { looseNamedObject, strictNamedObject } from '../named-object.ts';

/** Fields that every response about an engine has beside the engine's own fields. */
const answered = {
  /** The runner whose engine answered; `?runner=` sends the next request to it again. */
  runnerId: z.string(),
  /** True: long texts were truncated so that the response fits. */
  shortened: z.boolean().optional(),
};
const page = { nextCursor: z.string().nullish() };

export const EngineCapabilities = looseNamedObject('EngineCapabilities', {
  engine: z.looseObject({ name: z.string(), version: z.string() }),
  capabilities: z.record(z.string(), z.unknown()),
  /** Whether each feature is on. */
  features: z.record(z.string(), z.boolean()),
  ...answered,
});

/** One page of entries, whose fields are the engine's own. */
const pageOf = <T extends z.ZodType>(entry: T) =>
  z.looseObject({ data: z.array(entry), ...page, ...answered });

export const EngineFeatureList = pageOf(
  z.looseObject({ name: z.string(), enabled: z.boolean().optional() }),
).meta({ id: 'EngineFeatureList' });
export const EngineModeList = pageOf(z.looseObject({ name: z.string() })).meta({
  id: 'EngineModeList',
});
export const EngineMcpServerList = pageOf(z.looseObject({ name: z.string() })).meta({
  id: 'EngineMcpServerList',
});
export const EngineMcpLogin = looseNamedObject('EngineMcpLogin', {
  authorizationUrl: z.string(),
  loginId: z.string().nullish(),
  ...answered,
});

const Thread = looseNamedObject('EngineThread', {
  id: z.string(),
  name: z.string().nullish(),
  preview: z.string().nullish(),
  /** Epoch seconds. */
  createdAt: z.number().nullish(),
  updatedAt: z.number().nullish(),
  turns: z.array(z.unknown()).nullish(),
});
export const EngineThreadList = pageOf(Thread).meta({ id: 'EngineThreadList' });
export const EngineLoadedThreads = pageOf(z.string()).meta({ id: 'EngineLoadedThreads' });
export const EngineThreadAnswer = looseNamedObject('EngineThreadAnswer', {
  thread: Thread,
  ...answered,
});
export const EngineUnsubscribed = looseNamedObject('EngineUnsubscribed', {
  status: z.string(),
  ...answered,
});
/** The engine completed the operation and returned nothing else. */
export const EngineDone = looseNamedObject('EngineDone', { ...answered });

export const EngineAccount = looseNamedObject('EngineAccount', {
  /** Null: nobody is signed in, and the engine has no key of the provider. */
  account: z.looseObject({ type: z.string() }).nullable(),
  ...answered,
});
export const EngineRateLimits = looseNamedObject('EngineRateLimits', {
  rateLimits: z.unknown(),
  ...answered,
});
export const EngineLogin = looseNamedObject('EngineLogin', {
  type: z.string(),
  loginId: z.string().optional(),
  authUrl: z.string().optional(),
  /** Name of the secret that now holds the key. */
  secret: z.string().optional(),
  /** False while the configuration uses another key, so that agents do not use this one. */
  used: z.boolean().optional(),
  ...answered,
});
export const EngineLoginCancelled = looseNamedObject('EngineLoginCancelled', {
  status: z.string(),
  ...answered,
});

export const StartEngineLogin = strictNamedObject(
  'StartEngineLogin',
  {
    type: z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/),
    apiKey: z.string().min(1).max(8_192).optional(),
  },
  'How to sign in',
);

const GivenAnswer = z.union([
  z.string().max(20_000),
  z.array(z.string().max(20_000)).max(20),
  z.strictObject({ answers: z.array(z.string().max(20_000)).max(20) }),
]);
/** Answers by question id: a text, several texts, or `{answers: […]}` as engines send it. */
export const RespondUserInput = strictNamedObject(
  'RespondUserInput',
  {
    result: z.strictObject({ answers: z.record(z.string().max(200), GivenAnswer) }),
  },
  'The answers',
);
export type RespondUserInput = z.infer<typeof RespondUserInput>;
