import { z } from 'zod';

type Shape = z.core.$ZodLooseShape;

/** An object that the API's document lists under a name. */
export function namedObject<S extends Shape>(id: string, shape: S, description?: string) {
  return z.object(shape).meta(metaOf(id, description));
}

/** The same for what is sent to the API: a key that it does not know is refused. */
export function strictNamedObject<S extends Shape>(id: string, shape: S, description?: string) {
  return z.strictObject(shape).meta(metaOf(id, description));
}

/** The same for what others say in their own words: keys that are not named here stay. */
export function looseNamedObject<S extends Shape>(id: string, shape: S) {
  return z.looseObject(shape).meta({ id });
}

function metaOf(id: string, description: string | undefined) {
  return { id, ...(description === undefined ? {} : { description }) };
}
