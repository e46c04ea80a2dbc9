import { Controller } from '@nestjs/common';
import { sends, type SendMessage, type SendReceipt, type SendReply } from '@postroom/contracts';
import { Handles, type Sending } from '@postroom/operations';
import { newMessage, reply } from './send-request.js';
import { Sender } from './sender.js';

/** The two routes by which a message leaves. */
@Controller()
export class SendsHandlers {
  constructor(private readonly sender: Sender) {}

  @Handles(sends.create)
  create(context: Sending, input: SendMessage): Promise<SendReceipt> {
    return this.sender.send(context, newMessage(input));
  }

  @Handles(sends.reply)
  reply(context: Sending, input: SendReply): Promise<SendReceipt> {
    return this.sender.send(context, reply(input));
  }
}
