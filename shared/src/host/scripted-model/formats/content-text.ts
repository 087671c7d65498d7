import * as z from 'zod';

const Part = z.looseObject({ type: z.string().optional(), text: z.string().optional() });

/** Content of a message: one text, or a list of parts. */
export const Content = z.union([z.string(), z.array(Part)]);
export type Content = z.infer<typeof Content>;

export function contentText(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((part) => part.text ?? '').join('\n');
}

/** A tool's result as text, whatever its type. */
export function resultText(result: unknown): string {
  const parsed = Content.safeParse(result);
  return parsed.success ? contentText(parsed.data) : JSON.stringify(result ?? null);
}
