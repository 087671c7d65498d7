// Run as `node build-command.mjs ROOT FOLDER PLACE [COMMIT]`, see buildProduct.
import { buildProduct } from './build-product.mjs';

const [root, folder, place, commit = ''] = process.argv.slice(2);
await buildProduct(root, folder, place, commit);
