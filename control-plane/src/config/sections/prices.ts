import { z } from 'zod';
import { text } from '../bounds/text.ts';

const Price = z.strictObject({
  input: z.number().min(0).describe('Per million input tokens.'),
  cachedInput: z.number().min(0).optional().describe('Per million cached ones; left out: input.'),
  output: z.number().min(0).describe('Per million output tokens.'),
});

/** `prices`: US dollars per million tokens, by model. */
export const PricesSection = z.record(text(200), Price);
