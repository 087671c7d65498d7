import { z } from 'zod';
import { namedObject, strictNamedObject } from '../../named-object.ts';

/** Control characters are refused in a name that people read. */
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
export const Template = namedObject('Template', {
  id: z.string(),
  name: z.string(),
  body: z.string(),
  /**
   * The template is part of the program or of the base file: the API can neither change nor delete
   * it.
   */
  builtIn: z.boolean(),
  /** Null for a built-in template. */
  createdAt: z.iso.datetime().nullable(),
  updatedAt: z.iso.datetime().nullable(),
});
export type Template = z.infer<typeof Template>;

export const TemplateVariable = namedObject('TemplateVariable', {
  path: z.string(),
  description: z.string(),
  example: z.unknown(),
});
export type TemplateVariable = z.infer<typeof TemplateVariable>;

export const TemplateList = namedObject('TemplateList', {
  templates: z.array(Template),
  total: z.int(),
  /** Every variable that a template may name. */
  variables: z.array(TemplateVariable),
});
export type TemplateList = z.infer<typeof TemplateList>;

export const CreateTemplate = strictNamedObject('CreateTemplate', {
  name: TemplateName,
  body: TemplateBody,
});
export type CreateTemplate = z.infer<typeof CreateTemplate>;

export const UpdateTemplate = z
  .strictObject({ name: TemplateName.optional(), body: TemplateBody.optional() })
  .refine((change) => Object.keys(change).length > 0, 'name or body must be given')
  .meta({ id: 'UpdateTemplate' });
export type UpdateTemplate = z.infer<typeof UpdateTemplate>;

export const PreviewTemplate = strictNamedObject('PreviewTemplate', {
  /**
   * Values of the variables, nested as their paths are; left out: the documented examples are used.
   */
  variables: z.record(z.string(), z.unknown()).optional(),
  /** A draft to render in place of the stored body. */
  body: TemplateBody.optional(),
});
export type PreviewTemplate = z.infer<typeof PreviewTemplate>;

export const TemplatePreview = namedObject('TemplatePreview', { rendered: z.string() });
export type TemplatePreview = z.infer<typeof TemplatePreview>;
