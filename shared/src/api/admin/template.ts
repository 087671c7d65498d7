import { z } from 'zod';

/** Control characters of any kind have no place in a name that people read. */
const TemplateName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{C}*$/u, 'must not contain control characters');
const TemplateBody = z
  .string()
  .min(1)
  .max(200_000)
  .refine((text) => !text.includes('\0'), 'must not contain NUL characters');

/** A prompt template: Liquid, strict on unknown variables and filters. */
export const Template = z
  .object({
    id: z.string(),
    name: z.string(),
    body: z.string(),
    /** Part of the program or of the base file: it can be neither changed nor deleted here. */
    builtIn: z.boolean(),
    /** Null for a built-in one. */
    createdAt: z.iso.datetime().nullable(),
    updatedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Template' });
export type Template = z.infer<typeof Template>;

export const TemplateVariable = z
  .object({ path: z.string(), description: z.string(), example: z.unknown() })
  .meta({ id: 'TemplateVariable' });
export type TemplateVariable = z.infer<typeof TemplateVariable>;

export const TemplateList = z
  .object({
    templates: z.array(Template),
    total: z.int(),
    /** Everything a template may name. */
    variables: z.array(TemplateVariable),
  })
  .meta({ id: 'TemplateList' });
export type TemplateList = z.infer<typeof TemplateList>;

export const CreateTemplate = z
  .strictObject({ name: TemplateName, body: TemplateBody })
  .meta({ id: 'CreateTemplate' });
export type CreateTemplate = z.infer<typeof CreateTemplate>;

export const UpdateTemplate = z
  .strictObject({ name: TemplateName.optional(), body: TemplateBody.optional() })
  .refine((change) => Object.keys(change).length > 0, 'name or body must be given')
  .meta({ id: 'UpdateTemplate' });
export type UpdateTemplate = z.infer<typeof UpdateTemplate>;

export const PreviewTemplate = z
  .strictObject({
    /** Nested as the paths are; left out: the examples of the documented variables. */
    variables: z.record(z.string(), z.unknown()).optional(),
    /** Rendered in place of the stored body: a draft that nobody has saved yet. */
    body: TemplateBody.optional(),
  })
  .meta({ id: 'PreviewTemplate' });
export type PreviewTemplate = z.infer<typeof PreviewTemplate>;

export const TemplatePreview = z.object({ rendered: z.string() }).meta({ id: 'TemplatePreview' });
export type TemplatePreview = z.infer<typeof TemplatePreview>;
