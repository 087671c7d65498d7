import { expect, it } from 'vitest';
import { takeSecretVariables } from './take-secret-variables.ts';

it('mends what only has line breaks around it', () => {
  const env = {
    SERVICE_WRITE_TOKEN: 'a-token\n',
    SERVICE_MASTER_KEY_PREVIOUS: 'one,\ntwo\r\n',
    SERVICE_CONFIG__engine__provider__apiKey: 'of\nthe configuration',
    SERVICE_PUBLIC_ORIGIN: 'x\n',
    OTHER_TOKEN: 'y\nz',
  };
  takeSecretVariables(env);
  expect(env).toEqual({
    SERVICE_WRITE_TOKEN: 'a-token',
    SERVICE_MASTER_KEY_PREVIOUS: 'one,two',
    SERVICE_CONFIG__engine__provider__apiKey: 'of\nthe configuration',
    SERVICE_PUBLIC_ORIGIN: 'x\n',
    OTHER_TOKEN: 'y\nz',
  });
});

it.each([
  'SERVICE_WRITE_TOKEN',
  'SERVICE_DATABASE_TOKEN',
  'SERVICE_MASTER_KEY',
  'SWITCHYARD_TOKEN',
])('refuses a %s with a line break inside by its name', (name) => {
  const take = () => takeSecretVariables({ [name]: 'firsthalf\nsecondhalf' });
  expect(take).toThrow(new RegExp(`^${name} has a line break`));
  expect(take).not.toThrow(/half/);
});
