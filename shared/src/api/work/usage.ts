import { z } from 'zod';
import { namedObject } from '../../named-object.ts';

/**
 * One UTC day: what was used, and how the attempts that began on it ended. Those on trial without a
 * model use nothing and are left out.
 */
export const UsageDay = namedObject('UsageDay', {
  /** `YYYY-MM-DD`. */
  day: z.iso.date(),
  tokens: z.int(),
  costUsd: z.number(),
  /** Tokens of models without a price: what the cost lacks. */
  unpricedTokens: z.int(),
  completed: z.int(),
  /** Of the completed ones: the agent said that its work is done. */
  delivered: z.int(),
  /** Of the completed ones: they ended without the agent's word, and another one continued. */
  continued: z.int(),
  /** Failed, stalled and out of memory. */
  failed: z.int(),
  cancelled: z.int(),
});
export type UsageDay = z.infer<typeof UsageDay>;

/** What the attempts that began in a period used with one engine, model and account. */
export const EngineUsage = namedObject('EngineUsage', {
  engine: z.string(),
  /** Null: the attempts ended before they had one. */
  model: z.string().nullable(),
  /** Account of the model provider by name; null: the only one. */
  account: z.string().nullable(),
  attempts: z.int(),
  tokens: z.int(),
  /** Null: no model of them has a price. */
  costUsd: z.number().nullable(),
  /** Tokens of models without a price: what the cost lacks. */
  unpricedTokens: z.int(),
});
export type EngineUsage = z.infer<typeof EngineUsage>;

/** A model in use, with what it costs. */
export const ModelPrice = namedObject('ModelPrice', {
  model: z.string(),
  /** US dollars per million tokens; null: none is known. */
  price: z
    .object({
      input: z.number(),
      /** Left out: as input. */
      cachedInput: z.number().optional(),
      output: z.number(),
    })
    .nullable(),
  /** Who says so: the settings, or the list prices of the hosted provider. */
  from: z.enum(['settings', 'list']).nullable(),
  /** The settings name it, unfinished issues have it of their own, attempts of the period used it. */
  usedBy: z.array(z.enum(['settings', 'issues', 'attempts'])),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** `GET /api/v1/usage`: every day of the period, the empty ones too, oldest first. */
export const Usage = namedObject('Usage', {
  days: z.array(UsageDay),
  /** Of the attempts that began in the period, those that used most first. */
  engines: z.array(EngineUsage),
  /** What the costs of the period are reckoned by. */
  prices: z.object({
    /** Models that were used and have no price: their cost is missing. */
    missing: z.array(z.string()),
    /** Models that are reckoned by list prices, as their source had them on `readOn`. */
    listed: z.array(z.string()),
    /** Models in use, those without a price first. */
    models: z.array(ModelPrice),
    readOn: z.iso.date(),
    source: z.string(),
  }),
});
export type Usage = z.infer<typeof Usage>;
