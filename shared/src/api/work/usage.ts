import { z } from 'zod';
import { namedObject } from '../../named-object.ts';

/**
 * One UTC day: the usage, and the outcomes of the attempts that were queued on it. Attempts on
 * trial without a model use nothing and are left out.
 */
export const UsageDay = namedObject('UsageDay', {
  /** `YYYY-MM-DD`. */
  day: z.iso.date(),
  tokens: z.int(),
  costUsd: z.number(),
  /** Tokens of models without a price, which the cost does not include. */
  unpricedTokens: z.int(),
  completed: z.int(),
  /** Of the completed attempts: those whose agent reported its work as done. */
  delivered: z.int(),
  /**
   * Of the completed attempts: those that ended without a status line and were continued by another
   * attempt.
   */
  continued: z.int(),
  /** Attempts that failed, stalled or ran out of memory. */
  failed: z.int(),
  cancelled: z.int(),
});
export type UsageDay = z.infer<typeof UsageDay>;

/** Usage of the attempts that were queued in a period, for one engine, model and account. */
export const EngineUsage = namedObject('EngineUsage', {
  engine: z.string(),
  /** Null: the attempts ended before a model was selected. */
  model: z.string().nullable(),
  /** Name of the model provider's account; null: there is only one. */
  account: z.string().nullable(),
  attempts: z.int(),
  tokens: z.int(),
  /** Null: none of the models has a price. */
  costUsd: z.number().nullable(),
  /** Tokens of models without a price, which the cost does not include. */
  unpricedTokens: z.int(),
});
export type EngineUsage = z.infer<typeof EngineUsage>;

/** A model in use and its price. */
export const ModelPrice = namedObject('ModelPrice', {
  model: z.string(),
  /** US dollars per million tokens; null: no price is known. */
  price: z
    .object({
      input: z.number(),
      /** Price of cached input; left out: the input price. */
      cachedInput: z.number().optional(),
      output: z.number(),
    })
    .nullable(),
  /** Source of the price: the settings, or the list prices of the hosted provider. */
  from: z.enum(['settings', 'list']).nullable(),
  /**
   * Who uses the model: the settings, unfinished issues with their own choice, or attempts of the
   * period.
   */
  usedBy: z.array(z.enum(['settings', 'issues', 'attempts'])),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** `GET /api/v1/usage`: every day of the period including empty ones, oldest first. */
export const Usage = namedObject('Usage', {
  days: z.array(UsageDay),
  /** Usage of the attempts that were queued in the period, the highest cost first. */
  engines: z.array(EngineUsage),
  /** The prices behind the costs of the period. */
  prices: z.object({
    /** Models that were used without a price, so that their cost is missing. */
    missing: z.array(z.string()),
    /** Models whose cost is computed from list prices, as their source had them on `readOn`. */
    listed: z.array(z.string()),
    /** Models in use, those without a price first. */
    models: z.array(ModelPrice),
    readOn: z.iso.date(),
    source: z.string(),
  }),
});
export type Usage = z.infer<typeof Usage>;
