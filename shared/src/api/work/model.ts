import { z } from 'zod';
import { namedObject } from '../../named-object.ts';

/** A model that agents can be given. */
export const Model = namedObject('Model', {
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** As the engine spells them; empty when it is not known which there are. */
  reasoningEfforts: z.array(z.string()),
  /** Who names it. A model that only the engine names may be unknown to the provider. */
  sources: z.array(z.enum(['engine', 'provider'])),
  /** Agents use it unless an issue says otherwise. */
  isDefault: z.boolean(),
});
export type Model = z.infer<typeof Model>;

export const ModelList = namedObject('ModelList', { models: z.array(Model) });
