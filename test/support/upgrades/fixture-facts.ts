/** What a test has to know of the databases beside this file: values that stand in them as digests. */
export const FIXTURE_TOKEN = `swy_${'fixture'.repeat(6)}`;
export const FIXTURE_SECRET = 'a value that a service keeps';
/** The master key that its secrets are under, see createTestMasterKeys. */
export const FIXTURE_MASTER_KEY = Buffer.alloc(32, 1).toString('base64');
