import { z } from 'zod';

/**
 * Whether an agent plans before it works. `off`: it works at once. `ask`: a person approves the
 * plan first. `auto`: the work begins by itself unless the plan asks a question.
 */
export const PlanMode = z.enum(['off', 'ask', 'auto']).meta({ id: 'PlanMode' });
export type PlanMode = z.infer<typeof PlanMode>;
