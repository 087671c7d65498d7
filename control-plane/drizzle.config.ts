import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'turso',
  schema: './control-plane/src/db/schema/**/*.ts',
  out: './migrations',
});
