import { z } from 'zod';

type Shape = z.core.$ZodLooseShape;

/** An object schema that the API's document lists under a name. */
export function namedObject<S extends Shape>(id: string, shape: S, description?: string) {
  return z.object(shape).meta(metaOf(id, description));
}

/** An object schema for requests to the API: an unknown key is refused. */
export function strictNamedObject<S extends Shape>(id: string, shape: S, description?: string) {
  return z.strictObject(shape).meta(metaOf(id, description));
}

/** An object schema for data of other programs: unknown keys are kept. */
export function looseNamedObject<S extends Shape>(id: string, shape: S) {
  return z.looseObject(shape).meta({ id });
}

function metaOf(id: string, description: string | undefined) {
  return { id, ...(description === undefined ? {} : { description }) };
}
