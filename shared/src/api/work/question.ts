import { z } from 'zod';
import { namedObject } from '../../named-object.ts';

export const Question = namedObject('Question', {
  id: z.string().max(200),
  header: z.string().max(400),
  question: z.string().max(8_000),
  options: z.array(z.object({ label: z.string(), description: z.string() })).max(32),
  isSecret: z.boolean(),
});
export type Question = z.infer<typeof Question>;
