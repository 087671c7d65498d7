// Run as `node build-command.mjs ROOT FOLDER PLACE`, see buildProduct.
import { buildProduct } from './build-product.mjs';

const [root, folder, place] = process.argv.slice(2);
await buildProduct(root, folder, place);
