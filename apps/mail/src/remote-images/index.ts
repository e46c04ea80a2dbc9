export { RemoteImages } from './remote-images.js';
export { RemoteImagesHandlers } from './remote-images.handlers.js';
