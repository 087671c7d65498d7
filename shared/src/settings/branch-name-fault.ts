const MAX_BRANCH_BYTES = 200;
const encoder = new TextEncoder();

/**
 * Why git or this product refuses a branch name, as the rest of a sentence about it; null when the
 * name is allowed. Stricter than `git check-ref-format --branch`: also refuses control and format
 * characters and names that start with `refs/`.
 */
export function branchNameFault(name: string): string | null {
  if (name === '' || encoder.encode(name).byteLength > MAX_BRANCH_BYTES) {
    return 'is empty or too long';
  }
  if (/[\p{Cc}\p{Cf}\p{Cs}\s~^:?*[\\]/u.test(name)) return 'has characters that git refuses';
  if (name === '@' || name === 'HEAD') return 'is reserved by git';
  if (name.includes('..') || name.includes('@{')) return 'contains a range or reflog mark';
  if (name.startsWith('-') || name.startsWith('refs/')) return 'has a start that is not allowed';
  const badPart = name
    .split('/')
    .some(
      (part) => part === '' || part.startsWith('.') || part.endsWith('.') || part.endsWith('.lock'),
    );
  return badPart ? 'has an empty part or one that begins or ends with a dot or .lock' : null;
}
