import { Module } from '@nestjs/common';
import { OutgoingModule } from '../outgoing/index.js';
import { Attempts } from './attempts.js';
import { FileContents } from './file-contents.js';
import { Sender } from './sender.js';
import { SendsHandlers } from './sends.handlers.js';
import { Settling } from './settling.js';

@Module({
  imports: [OutgoingModule],
  controllers: [SendsHandlers],
  providers: [Attempts, FileContents, Sender, Settling],
})
export class SendsModule {}
