// Lets the conformance suite, which wants Node 22, run on Node 20: its one use of what is new there is not reached by the
// suites of clients.
import { register } from 'node:module';

const shim = `export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];`;
const hooks = `
export const resolve = (name, context, next) =>
    name === 'fs' && context.parentURL.includes('/conformance/')
        ? { url: ${JSON.stringify('data:text/javascript,' + encodeURIComponent(shim))}, shortCircuit: true }
        : next(name, context);
`;
if (Number(process.versions.node.split('.')[0]) < 22) {
    register('data:text/javascript,' + encodeURIComponent(hooks));
}
