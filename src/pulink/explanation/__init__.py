"""What people ask about a link that was found: why this one?"""
