"""What several processes that train one model take: seconds, memory, bytes that they send."""
