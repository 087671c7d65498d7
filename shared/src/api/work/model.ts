import { z } from 'zod';
import { namedObject } from '../../named-object.ts';

/** A model that agents can be configured with. */
export const Model = namedObject('Model', {
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Reasoning efforts as the engine spells them; empty when they are unknown. */
  reasoningEfforts: z.array(z.string()),
  /** Who lists the model. One that only the engine lists may be unknown to the provider. */
  sources: z.array(z.enum(['engine', 'provider'])),
  /** Agents use this model unless an issue selects another. */
  isDefault: z.boolean(),
});
export type Model = z.infer<typeof Model>;

export const ModelList = namedObject('ModelList', { models: z.array(Model) });
